/**
 * The advice that failed health checks left behind (C-15), looked at again: it speaks of one life (law 3), so it is over with
 * that life, however that ended and whichever process gave it (law 8).
 */
import { whoeverTold } from '../alerts/episodes.ts';
import type { DeaconPolicy } from './policy.ts';
import type { Order, SessionRecord } from '../protocol.ts';
import type { Notes } from '../protocol/watchdog.ts';

interface Advice {
  readonly policy: DeaconPolicy;
  readonly checks: Notes['healthChecks'] | null;
  /** What earlier processes advised was looked at. */
  readonly settled: boolean;
}

/** It has a life that can be asked. */
export const isLive = (r: SessionRecord): boolean =>
  (r.state === 'running' || r.state === 'observed') && r.incarnation !== null;

export const EPISODES = 'health/';
export const REVIEW = 'health/review';
/** Sessions that are advised upon: their present life leaves checks unanswered. */
export const advisedIn = ({ checks, policy }: Pick<Advice, 'checks' | 'policy'>): string[] =>
  Object.entries(checks ?? {}).flatMap(([name, { failures }]) => (failures >= policy.healthFailures ? [name] : []));
export const othersEnd = (advised: readonly string[]): Order => ({
  ...whoeverTold(
    EPISODES,
    'That life is over, or answers.',
    advised.map((name) => `${EPISODES}${name}`),
  ),
  id: 'health/others',
});

/** Whether what was advised still means a life that is there (law 3, law 8). */
export function review(
  context: Advice,
  records: readonly SessionRecord[],
): { changes: Partial<Advice>; orders: readonly Order[] } {
  const lives = new Set(records.flatMap((r) => (isLive(r) && r.incarnation ? [r.incarnation.uuid] : [])));
  const checks = { ...context.checks };
  for (const name of advisedIn(context)) {
    const check = checks[name];
    if (check !== undefined && !lives.has(check.uuid))
      checks[name] = { ...check, failures: 0, result: 'its life is over' };
  }
  const advised = advisedIn({ ...context, checks });
  const isNews = !context.settled || advised.length < advisedIn(context).length;
  return {
    changes: { settled: true, ...(context.checks !== null && { checks }) },
    orders: isNews ? [othersEnd(advised)] : [],
  };
}
