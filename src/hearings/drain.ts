/**
 * What waits unread in the terminal of an adopted pane is taken out right before its agent is signalled (D-8, D-10): below
 * the agent stands a person's shell, and it would run, line by line, what the agent never read.
 * 1. Only the terminal that is proved to be this pane's, and never while an interactive shell is in front: those keys are a person's.
 * 2. Bounded, and it never blocks. A failure is a line in the log: it is no ground for a kill, and none against one.
 * 3. Only before a signal. What waits earlier may be a person's words to a busy agent, and to look is to take.
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { Incarnation } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { openUnread, type Unread } from '../proc/unread.ts';
import { foregroundOf } from './foreground.ts';

export interface Terminal {
  readonly path: string;
  /** The pane's own process, which has the terminal as its controlling one. */
  readonly pid: number;
}

type Limits = Pick<HandsPolicy, 'maxDrainBytes' | 'maxDrainReads' | 'drainQuietReads' | 'drainPauseMs'>;

export interface DrainDeps {
  /** null = the pane is gone or has none. Rejects when tmux does not say. */
  readonly terminalOf: (target: Incarnation) => Promise<Terminal | null>;
  readonly processes: Pick<ProcessTable, 'describe' | 'ttyOf'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly policy: Limits;
  readonly log: { readonly info: (text: string) => void; readonly warn: (text: string) => void };
}

/** Takes what this life has not read. Never rejects. */
export type Drain = (target: Incarnation, cancelled: AbortSignal) => Promise<void>;

export function drainOf(deps: DrainDeps): Drain {
  return async (target, cancelled) => {
    if (target.origin !== 'adopted') return; // the pane of a started one ends with it
    try {
      const bytes = await drain(deps, target, cancelled);
      if (bytes > 0) deps.log.info(`${bytes} bytes that ${target.session} never read were taken out of its terminal`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      deps.log.warn(`what waits unread in the terminal of ${target.session} could not be taken out of it: ${why}`);
    }
  };
}

async function drain(deps: DrainDeps, target: Incarnation, cancelled: AbortSignal): Promise<number> {
  const terminal = await deps.terminalOf(target);
  if (terminal === null) return 0;
  if ((await foregroundOf(deps.processes, terminal.pid)).isShell) return 0;
  const unread = openUnread(terminal.path, deps.policy.maxDrainBytes);
  try {
    // While we hold it open its number is not reused: so the process that has it now is the one whose input we take.
    const now = await deps.terminalOf(target);
    if (now?.path !== terminal.path || now.pid !== terminal.pid || deps.processes.ttyOf(now.pid) !== now.path)
      throw new Error(`${terminal.path} is not its terminal any more`);
    return await readOut(deps, unread, cancelled);
  } finally {
    unread.close();
  }
}

/** The rest of a long paste comes in pieces, as room is made for it: only quiet that lasts is the end. */
async function readOut({ clock, policy }: DrainDeps, unread: Unread, cancelled: AbortSignal): Promise<number> {
  let bytes = 0;
  let quiet = 0;
  for (let reads = 0; reads < policy.maxDrainReads && bytes < policy.maxDrainBytes; reads += 1) {
    if (cancelled.aborted) break;
    const taken = unread.take();
    bytes += taken;
    quiet = taken > 0 ? 0 : quiet + 1;
    if (quiet >= policy.drainQuietReads) break;
    if (quiet > 0) await clock.sleep(policy.drainPauseMs, cancelled);
  }
  return bytes;
}
