/**
 * The last health check of each life, for the journal (C-15): the session of an order or a code, and how the check
 * ended. An answer may come before the hand that types is back, so the check stays known until the next one, or until
 * that life is long forgotten.
 */
import { isHealthCheck, NO_ANSWER } from '../../machines/watchdog/health-rules.ts';
import type { Order, OrderId } from '../../machines/protocol.ts';
import type { HealthCheck } from '../../machines/protocol/watchdog.ts';
import { Latest } from './change-filter.ts';

/** The session of a line. */
interface CheckLine {
  readonly session: string;
  /** Id of the check. */
  readonly check: string;
}
/** How one ended. */
interface CheckEnd extends CheckLine {
  /** In words: `answered: town alive`, `busy: new lines`. */
  readonly result: string;
  readonly silent: boolean;
  /** Silences in a row. */
  readonly failures: number;
}

export class ChecksInFlight {
  /** By the life that is asked. */
  readonly #last = new Latest<CheckLine & { isOver: boolean }>();

  /** An order that went out. */
  ordered(order: Order & { readonly type: 'ask' }): void {
    if (!isHealthCheck(order)) return;
    const { target, code } = order;
    this.#last.set(target.uuid, { session: target.session, check: checkOf(code), isOver: false });
  }

  about(id: OrderId): CheckLine | null {
    return isHealthCheck({ id }) ? lineOf(this.#last.get(id.life ?? '')) : null;
  }

  /** Whose code it is. */
  asking(code: string): CheckLine | null {
    return lineOf([...this.#last.values()].find(({ check, isOver }) => !isOver && check === checkOf(code)));
  }

  /** It came to nothing, and a line says so already. */
  forget({ life = '' }: OrderId): void {
    this.#last.delete(life);
  }

  /** Those that are over by this record, which was just saved. */
  over(saved: Readonly<Record<string, HealthCheck>>): CheckEnd[] {
    return [...this.#last.values()].flatMap((one) => {
      const { session, check } = one;
      const now = saved[session];
      if (one.isOver || now === undefined || now.code !== null) return [];
      one.isOver = true;
      const { result, failures } = now;
      return [{ session, check, result, silent: result === NO_ANSWER, failures }];
    });
  }

  /** The asking actor crashed: no check is awaited any more. */
  clear(): void {
    this.#last.clear();
  }
}

const checkOf = (code: string): string => `health-${code}`;
const lineOf = (one: CheckLine | undefined): CheckLine | null =>
  (one && { session: one.session, check: one.check }) || null;
