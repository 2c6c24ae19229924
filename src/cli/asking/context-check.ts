/**
 * How a cycle ends that an agent did (W-8): it is counted, and a life whose context is nearly used up, or that did its cycles, leaves
 * what it saw to the next one and ends as by `town handoff`. Nothing of it is done for the operator, nor for a protected name, which
 * only the operator ends.
 */
import { keepNote, noteOf } from '../../../state/patrols/notes.ts';
import { patrolOf } from '../../patrols/memory/evidence.ts';
import { handoffDue } from '../../../machines/witness/session.ts';
import { coveredBy } from '../../config/glob.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Caller } from '../../socket/permission.ts';
import { Failure } from '../../terminal/failure.ts';
import type { Context } from '../context.ts';

export interface Ending {
  /** A rig, or `deacon`. */
  readonly of: string;
  readonly maxCycles: number;
  /** The report of the cycle for people. */
  readonly told: string;
}

/** Why it handed off, in words; null = it goes on. */
export async function contextCheck(
  context: Context,
  caller: Caller,
  { of, maxCycles, told }: Ending,
): Promise<string | null> {
  if (caller.is === 'operator' || coveredBy(caller.session, (await context.settings()).town.protected) !== null)
    return null;
  const cycles = await countCycle(await context.disk(), patrolOf(of), caller.uuid);
  const { maxContext } = (await context.settings()).policy.rounds;
  const seen = { cycles, contextUsed: await contextNow(context, caller.session) };
  const why = handoffDue(seen, { maxContext, maxCycles });
  if (why === null) return null;
  const { handOff } = await import('../commands/handoff.ts');
  await handOff(context, caller, { subject: 'Patrol handoff', message: `${why}\n${told}` });
  return why;
}

/** Cycles of this life, with this one. */
async function countCycle(disk: Disk, agent: string, uuid: string): Promise<number> {
  const [life, before] = (await noteOf(disk, agent, 'cycle'))?.text.split(' ') ?? [];
  const count = (life === uuid ? Number(before) : 0) + 1;
  await keepNote(disk, agent, 'cycle', { kind: 'cycle', text: `${uuid} ${String(count)}`, at: Date.now() });
  return count;
}

/** null = its screen does not tell. */
async function contextNow(context: Context, session: string): Promise<number | null> {
  const { studySession } = await import('../screens/pane.ts');
  const { contextUsed } = await import('../../screen/context.ts');
  try {
    const { study } = await studySession(context, session, {});
    return contextUsed(study.found.pack, study.picture.rows);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
