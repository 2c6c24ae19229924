/**
 * The session of an order or a code, and its last reported state: what the journal must remember of one step for
 * another.
 * Bounded: by the hearings under way, and by change-filter.ts.
 */
import { orderName, type Dance, type OrderId, type SessionRecord } from '../../machines/protocol.ts';
import { survivorsOf } from '../../machines/sessions/survivors.ts';
import { ChangeFilter, Latest } from './change-filter.ts';
import { StandingAlerts } from './standing-alerts.ts';
import { ChecksInFlight } from './checks-in-flight.ts';

/** What a line is about, as far as an order's id or a code tells it. */
export interface About {
  readonly dance?: string;
  readonly check?: string;
  readonly session?: string;
}

export class Correlation extends ChangeFilter {
  readonly checks = new ChecksInFlight();
  readonly alerts: StandingAlerts;
  /** Dance id -> session, so that outcomes name the session. */
  readonly #sessions = new Map<string, string>();
  /** Code -> open dance that asks for it. */
  readonly #codes = new Map<string, OrderId>();
  /** Remarks and answers to dialogs: order -> session. */
  readonly #nudges = new Latest<string>();

  /** Sessions whose present life the town told to go on after a usage limit. */
  readonly #told = new Set<string>();

  /** `alerts`: what the journal holds of them. */
  constructor(alerts = new StandingAlerts()) {
    super();
    this.alerts = alerts;
  }

  /** It shows no limit any more, since it was told. */
  wentOn({ spec: { name }, bar, incarnation }: SessionRecord): boolean {
    if (bar?.goOn?.is === 'told') this.#told.add(name);
    else if (this.#told.delete(name)) return bar?.by !== 'limited' && incarnation !== null;
    return false;
  }

  opened({ id, target, attempts }: Dance): void {
    this.#sessions.set(id, target.session);
    for (const { code } of attempts) this.#codes.set(code, { dance: id });
  }

  over({ id, attempts }: Dance): void {
    this.#sessions.delete(id);
    for (const { code } of attempts) this.#codes.delete(code);
  }

  about(id: OrderId): About {
    const check = this.checks.about(id);
    if (check !== null) return { ...check };
    const { dance } = id;
    const session = dance === undefined ? survivorsOf(id) : this.#sessions.get(dance);
    return { ...(dance !== undefined && { dance }), ...(session !== undefined && { session }) };
  }

  /** Whose code it is. */
  asking(code: string): About {
    return this.checks.asking(code) ?? this.about(this.#codes.get(code) ?? {});
  }

  nudging(id: OrderId, session: string): void {
    this.#nudges.set(orderName(id), session);
  }

  /** The session that got the nudge, or the answer. */
  nudged(id: OrderId): Pick<About, 'session'> {
    const session = this.#nudges.get(orderName(id));
    return session === undefined ? {} : { session };
  }
}

/** The thing that a change is about: an order, each time it is given, so that repeated failures are one line. */
export const thingOf = (id: OrderId, { check }: About): string =>
  // The orders of all health checks of one life have the same ids.
  check === undefined ? orderName({ ...id, turn: undefined }) : `${check}/seen`;
