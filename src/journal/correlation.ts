/**
 * Whom an order or a code is about, and what was told of it last: what the journal must remember of one step for another.
 * Bounded: by the hearings under way, and by change-filter.ts.
 */
import type { Dance } from '../../machines/protocol.ts';
import { ENDING } from '../../machines/sessions/survivors.ts';
import { ChangeFilter, Latest } from './change-filter.ts';
import { ChecksInFlight } from './checks-in-flight.ts';

/** What a line is about, as far as an order's id or a code tells it. */
export interface About {
  readonly dance?: string;
  readonly check?: string;
  readonly session?: string;
}

export class Correlation extends ChangeFilter {
  readonly checks = new ChecksInFlight();
  /** Dance id -> session, so that outcomes can be told by name. */
  readonly #sessions = new Map<string, string>();
  /** Code -> open dance that asks for it. */
  readonly #codes = new Map<string, string>();
  /** Remarks: order -> session. */
  readonly #nudges = new Latest<string>();

  opened({ id, target, attempts }: Dance): void {
    this.#sessions.set(id, target.session);
    for (const { code } of attempts) this.#codes.set(code, id);
  }

  over({ id, attempts }: Dance): void {
    this.#sessions.delete(id);
    for (const { code } of attempts) this.#codes.delete(code);
  }

  about(orderId: string): About {
    const check = this.checks.about(orderId);
    if (check !== null) return { ...check };
    const dance = danceIn(orderId);
    const session = dance === null ? (survivorsOf(orderId) ?? undefined) : this.#sessions.get(dance);
    return { ...(dance !== null && { dance }), ...(session !== undefined && { session }) };
  }

  /** Whose code it is. */
  asking(code: string): About {
    return this.checks.asking(code) ?? this.about(this.#codes.get(code) ?? '');
  }

  nudging(orderId: string, session: string): void {
    this.#nudges.set(orderId, session);
  }

  /** Whom the remark went to. */
  nudged(orderId: string): Pick<About, 'session'> {
    const session = this.#nudges.get(orderId);
    return session === undefined ? {} : { session };
  }
}

/** What a change is a change of: an order without its counter, so that what fails again and again is told once. */
export const thingOf = (orderId: string, { check }: About): string =>
  // The orders of all health checks of one life have the same ids.
  check === undefined ? orderId.replace(/-\d+$/, '').replace(/\/\d{4,}$/, '') : `${check}/seen`;
const danceIn = (orderId: string): string | null => /^dog-\d+/.exec(orderId)?.[0] ?? null;

/** The session whose survivors this order helps to end before a start; null = it does not. */
export const survivorsOf = (orderId: string): string | null =>
  orderId.startsWith(ENDING) ? (orderId.slice(ENDING.length).split('/', 1)[0] ?? null) : null;
