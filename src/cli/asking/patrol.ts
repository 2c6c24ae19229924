/** One cycle of a patrol now: the running town does it. Where none runs, `--once` does it in this process. */
import type { Order, OutcomeBody } from '../../../machines/protocol.ts';
import type { Patrolled, PatrolRecord } from '../../../machines/protocol/patrols.ts';
import { PATROLS, readPatrol } from '../../../state/patrols/records.ts';
import { inKnownTime } from '../../overview/known-time.ts';
import { systemClock } from '../../ports/clock.ts';
import { holdingLock } from '../../rigs/lock.ts';
import { answerIn } from '../../terminal/failure.ts';
import { note } from '../../terminal/print.ts';
import type { Caller } from '../../socket/permission.ts';
import type { Context } from '../context.ts';
import { actForTown } from '../naming/caller.ts';
import { notesOf, writeNote } from './notes.ts';
import { clientOf, recordsOf } from './yard.ts';

export interface PatrolOptions {
  readonly once?: boolean;
}

/**
 * A cycle of the Deacon's round now, which carries out what was chosen in triage. Where no town runs, that is all that this process does:
 * no other step, and no process begins.
 */
export async function choicesNow(context: Context, caller: Caller): Promise<Patrolled> {
  const reply = await context.askIfUp((town) => town.request({ verb: 'patrol', of: 'deacon' }));
  return reply === null ? inThisProcess(context, caller, 'deacon', CHOICES) : (answerIn(reply) as Patrolled);
}

/** What is left out of a cycle; null = nothing is. */
type Without = (order: Order) => OutcomeBody | null;
const ALL: Without = () => null;
const CHOICES: Without = (order) => {
  if (order.type === 'step' && order.step !== 'triage')
    return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false };
  if (order.type === 'begin' && order.wanted.act !== 'resolve')
    return { type: 'ACTED', outcomes: [], hasNewCase: false };
  return null;
};

/** `of`: a rig, or `deacon`. Throws Failure with why the cycle came to nothing, and TownNotRunning without `--once`. */
export async function cycleNow(
  context: Context,
  caller: Caller,
  of: string,
  { once = false }: PatrolOptions,
): Promise<Patrolled> {
  const request = { verb: 'patrol', of } as const;
  if (!once) return (await context.request(request).catch(orOnce)) as Patrolled;
  const reply = await context.askIfUp((town) => town.request(request));
  return reply === null ? inThisProcess(context, caller, of, ALL) : (answerIn(reply) as Patrolled);
}

/** Adds what else may be typed where no town runs. */
async function orOnce(error: unknown): Promise<never> {
  const { TownNotRunning } = await import('../../socket/client.ts');
  if (!(error instanceof TownNotRunning)) throw error;
  throw new TownNotRunning(`${error.message}; or add --once to patrol without it`);
}

async function inThisProcess(context: Context, caller: Caller, of: string, without: Without): Promise<Patrolled> {
  actForTown();
  const { PatrolExecutor } = await import('../../patrols/thread/executor.ts');
  const { PatrolDriver } = await import('../../patrols/thread/once.ts');
  const settings = await context.settings();
  const executor = new PatrolExecutor({ settings, client: clientOf(context), note, inTime: inKnownTime });
  const notes = await notesOf(context);
  const perform = async (order: Order): Promise<OutcomeBody> => {
    const left = without(order);
    if (left !== null) return left;
    switch (order.type) {
      case 'readPatrol':
        return { type: 'PATROL_READ', record: await readPatrol(notes, order.of) };
      case 'patrol':
      case 'step':
      case 'act':
      case 'begin':
      case 'noteCycle':
        return executor.perform(order);
      case 'reply':
        return { type: 'REPLIED' };
      default:
        // News for other patrols, of which none runs.
        return { type: 'ANNOUNCED' };
    }
  };
  const save = async (record: PatrolRecord): Promise<void> => {
    // A part of a cycle is none.
    if (without !== ALL) return;
    const { path, text } = PATROLS.fileOf(record);
    await writeNote(context, path, text);
  };
  const now = () => ({ at: systemClock.now(), wall: systemClock.wall() });
  // Commands that patrol at the same time do so one after another. The lock of the rig is taken by each order.
  const alone = { root: context.root, of: `${of}.once` };
  const { rounds, watchdog } = settings.policy;
  const { activeMs, idleMs } = watchdog.deacon;
  const input = { of, policy: { ...rounds, activeMs, idleMs }, policies: settings.patrols };
  try {
    const cycle = () => new PatrolDriver(input, { perform, save, now }).cycle(caller.is);
    return await holdingLock(await recordsOf(context), alone, cycle);
  } finally {
    executor.close();
  }
}
