/**
 * The identity of an order: the same each time the same thing is asked for, in every life of the town.
 * 1. The issuer writes the id, field by field, and the outcome brings it back: a reader takes the field it needs.
 * 2. Ids are compared, kept and shown by name. A name holds all fields, and is never parsed.
 */
export interface OrderId {
  /** Absent: a dog is known by its dance, a message by its own name. */
  readonly issuer?: 'kennel' | 'sessions' | Watch | 'patrol' | 'ledger' | 'alerts' | 'level' | 'connect' | 'reply';
  readonly dance?: string;
  readonly attempt?: number;
  /** Which tick, run or cycle of its issuer. */
  readonly round?: number | undefined;
  readonly rig?: string;
  /** Of an alert. */
  readonly kind?: string;
  /** Its uuid. */
  readonly life?: string;
  readonly verb?: string;
  readonly session?: string;
  /** Of what else it is about: a caller, a warrant, a letter, an episode. */
  readonly name?: string;
  readonly step?: string | number;
  /** Tells it from the last one about the same. */
  readonly turn?: number | undefined;
}
type Watch = 'daemon' | 'boot' | 'deacon' | 'health' | 'monitor' | 'mail-watch' | 'timers' | 'sends' | 'tickle';

/** `boot/3/act`, `dog-17/1/look-7`: its fields as they were written. */
export function orderName({ turn, ...about }: OrderId): string {
  const name = Object.values(about).join('/');
  return turn === undefined ? name : `${name}${about.verb === undefined ? '/' : '-'}${turn}`;
}

export const isSameOrder = (one: OrderId | null | undefined, other: OrderId): boolean =>
  one !== null && one !== undefined && orderName(one) === orderName(other);
