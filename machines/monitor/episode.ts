/** What stands of the episode of one worker after a look, and the message that begins one (M-5, law 8). Pure. */
import type { MonitorRecord, SentReports, Stamp, TagMessage, WorkerEpisode } from '../protocol.ts';
import { isAlert, isReport, isSameEpisode, keyOf, type Worker } from './judge.ts';
import { messageOf } from './messages.ts';
import type { MonitorPolicy } from './policy.ts';
import { afterReport, renewBudget } from './report-budget.ts';

interface After {
  /** What stands of the episode of this life. */
  readonly open: WorkerEpisode | undefined;
  readonly reported: SentReports | undefined;
  /** What begins the episode. */
  readonly message: TagMessage | null;
}

/** Where an agent tells of workers, the monitor only shows them and passes on what waits (M-10). */
export const NOT_OURS: After = { open: undefined, reported: undefined, message: null };

type Context = Pick<MonitorRecord, 'episodes' | 'reported'> & { readonly policy: MonitorPolicy };

/** Of one life, after this look; `before` null = there is no baseline yet. */
export function episodeAfter(before: Worker | null, worker: Worker, context: Context, now: Stamp): After {
  const { state, seen } = worker;
  const { uuid, session } = seen.life;
  const { policy } = context;
  const { [uuid]: open } = context.episodes;
  const reported = renewBudget(context.reported[uuid], now);
  const stands = { open, reported, message: null };
  if (before === null || !worker.isShown) return stands;
  if (isAlert(state)) {
    if (open !== undefined && isSameEpisode(open, state, seen)) return stands;
    const key = keyOf(state, seen);
    const begun = { session, state, key, since: now.wall };
    if (!isReport(key)) return { open: begun, reported, message: messageOf(state, worker, policy, now) };
    if (key === reported?.key) return { ...stands, open: begun };
    const after = afterReport(reported, key, policy, now);
    // The next look finds the report again, or a newer one in its place.
    if (after.waiting !== null) return { ...stands, reported: after };
    return { open: begun, reported: after, message: messageOf(state, worker, policy, now, after.leftOut) };
  }
  // A restarted town counts anew: only what moved is stuck no more.
  const hasMoved = seen.mark !== before.seen.mark;
  const isOver = state === 'working' && (open?.state !== 'stuck' || hasMoved);
  return isOver ? { ...stands, open: undefined } : stands;
}
