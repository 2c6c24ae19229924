/** The workers as the running town's monitor saw them last (M-2), and what operators want typed: timers (M-6), and work. */
import { reportOf, type Worker } from '../../machines/monitor/judge.ts';
import type { MonitorState } from '../../machines/monitor/machine.ts';
import { promptType } from '../../machines/monitor/messages.ts';
import type { Clock } from '../ports/ports.ts';
import { beginningOf, type SendsState } from '../../machines/sends/book.ts';
import type { TimersState } from '../../machines/monitor/timers.ts';
import type { SendView, TimerView, WorkerView } from '../socket/protocol.ts';
import type { ActorTree } from './actor-tree.ts';

/** null = the monitor has not looked since the town began. */
export function workersOf(
  tree: Pick<ActorTree, 'snapshotsOf'>,
  clock: Pick<Clock, 'now' | 'wall'>,
): WorkerView[] | null {
  const [now, wall] = [clock.now(), clock.wall()];
  const isoOf = (at: number): string => new Date(wall - Math.max(0, now - at)).toISOString();
  const [snapshot] = tree.snapshotsOf('monitor');
  const { workers = null } = (snapshot?.context as MonitorState | undefined) ?? {};
  return workers && Object.values(workers).map((worker) => viewOf(worker, isoOf));
}

/** null = their file cannot be read now. */
export function timersOf(tree: Pick<ActorTree, 'snapshotsOf'>, clock: Pick<Clock, 'now' | 'wall'>): TimerView[] | null {
  const [snapshot] = tree.snapshotsOf('timers');
  if (snapshot?.value === 'resting') return null;
  const { timers = {}, due = {}, results = {} } = (snapshot?.context as TimersState | undefined) ?? {};
  const [now, wall] = [clock.now(), clock.wall()];
  return Object.values(timers).map(({ name, session, intervalSecs, message }) => {
    const next_at = new Date(wall + Math.max(0, (due[name] ?? now) - now)).toISOString();
    return {
      name,
      session,
      interval_secs: intervalSecs,
      message: beginningOf(message),
      next_at,
      last: results[name] ?? null,
    };
  });
}

/** null = their file cannot be read now. */
export function sendsOf(tree: Pick<ActorTree, 'snapshotsOf'>): SendView[] | null {
  const [snapshot] = tree.snapshotsOf('sends');
  if (snapshot?.value === 'resting') return null;
  const { sends = [], waits = {} } = (snapshot?.context as SendsState | undefined) ?? {};
  return sends.map(({ id, session, text, sentAt, undone }) => {
    const first = sends.find((one) => one.session === session && one.undone === undefined);
    const sent_at = new Date(sentAt).toISOString();
    const why = undone ?? (first?.id === id ? (waits[session]?.why ?? null) : null);
    return { id, session, text: beginningOf(text), sent_at, is_undone: undone !== undefined, waits: why };
  });
}

function viewOf({ seen, state, unchanged, activeAt }: Worker, isoOf: (at: number) => string): WorkerView {
  const report = reportOf(seen);
  const isAwaiting = state === 'needs_input';
  const isConfirmation = isAwaiting && promptType(seen) !== 'input';
  return {
    worker_id: seen.life.uuid,
    worker_name: seen.life.session,
    tags: seen.tags,
    state,
    status: report?.status ?? seen.state,
    message: report?.message ?? null,
    is_awaiting_input: isAwaiting && !isConfirmation,
    is_awaiting_confirmation: isConfirmation,
    rule: seen.rule,
    source: report === null ? seen.source : 'report',
    last_activity: isoOf(activeAt),
    intervals_unchanged: unchanged,
  };
}
