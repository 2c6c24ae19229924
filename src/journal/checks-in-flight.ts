/**
 * The health checks under way, for the journal (C-15): whom an order or a code is about, and how each ended.
 * A check is known from the order to ask until that has its outcome and its record says that nobody is waited for, whichever
 * comes last: it may be answered before the hand that types is back. Bounded by the lives that are being asked.
 */
import { isHealthCheck, NO_ANSWER } from '../../machines/watchdog/health-rules.ts';
import type { Order } from '../../machines/protocol.ts';
import type { HealthCheck } from '../../machines/protocol/watchdog.ts';

/** Whom a line is about. */
export interface CheckLine {
  readonly session: string;
  /** Id of the check. */
  readonly check: string;
}
/** How one ended. */
export interface CheckEnd extends CheckLine {
  /** In words: `answered: town alive`, `busy: new lines`. */
  readonly result: string;
  readonly silent: boolean;
  /** Silences in a row. */
  readonly failures: number;
}
interface Open extends CheckLine {
  readonly code: string;
  /** The order to ask has its outcome. */
  typed: boolean;
  over: boolean;
}

const lifeIn = (orderId: string): string => orderId.split('/')[1] ?? '';

export class ChecksInFlight {
  /** By the life that is asked. */
  readonly #open = new Map<string, Open>();

  /** An order that went out. */
  ordered(order: Order & { readonly type: 'ask' }): void {
    if (!isHealthCheck(order)) return;
    const { target, code } = order;
    this.#open.set(target.uuid, { session: target.session, check: `health-${code}`, code, typed: false, over: false });
  }

  about(orderId: string): CheckLine | null {
    if (!isHealthCheck({ id: orderId })) return null;
    return lineOf(this.#open.get(lifeIn(orderId)));
  }

  /** Whose code it is. */
  asking(code: string): CheckLine | null {
    return lineOf([...this.#open.values()].find((one) => one.code === code));
  }

  /** The order to ask has its outcome, which is told. */
  settled(orderId: string): void {
    const one = isHealthCheck({ id: orderId }) ? this.#open.get(lifeIn(orderId)) : undefined;
    if (one === undefined) return;
    one.typed = true;
    if (one.over) this.forget(orderId);
  }

  /** It came to nothing, and a line says so already. */
  forget(orderId: string): void {
    this.#open.delete(lifeIn(orderId));
  }

  /** Those that are over by this record, which was just saved. */
  over(saved: Readonly<Record<string, HealthCheck>>): CheckEnd[] {
    return [...this.#open].flatMap(([uuid, one]) => {
      const { session, check } = one;
      const now = saved[session];
      if (one.over || now === undefined || now.code !== null) return [];
      one.over = true;
      if (one.typed) this.#open.delete(uuid);
      const { result, failures } = now;
      return [{ session, check, result, silent: result === NO_ANSWER, failures }];
    });
  }

  /** Whoever asked them fell: nobody waits any more. */
  clear(): void {
    this.#open.clear();
  }
}

const lineOf = (open: Open | undefined): CheckLine | null =>
  open === undefined ? null : { session: open.session, check: open.check };
