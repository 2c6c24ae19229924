/**
 * How a cycle ends that an agent did (W-8): it is counted, and a life whose context is nearly used up, or that did its cycles, leaves
 * what it saw to the next one and ends as by `town handoff`. Nothing of it is done for the operator.
 */
import { memoryOf } from '../../patrols/agent/watch.ts';
import { handoffDue } from '../../../machines/witness/session.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { items } from '../../ledger/walk.ts';
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
  ledger: Ledger,
  caller: Caller,
  { of, maxCycles, told }: Ending,
): Promise<string | null> {
  if (caller.is === 'operator') return null;
  const [author, at] = [memoryOf(of, 'cycle'), Date.now()];
  await ledger.addEvidence({ id: `${author}-${at}`, author, kind: 'cycle', text: caller.uuid, at });
  const cycles = await cyclesOf(ledger, author, caller.uuid);
  const { maxContext } = (await context.settings()).policy.rounds;
  const seen = { cycles, contextUsed: await contextNow(context, caller.session) };
  const why = handoffDue(seen, { maxContext, maxCycles });
  if (why === null) return null;
  const { handOff } = await import('../commands/handoff.ts');
  await handOff(context, caller, { subject: 'Patrol handoff', message: `${why}\n${told}` });
  return why;
}

async function cyclesOf(ledger: Ledger, author: string, uuid: string): Promise<number> {
  let count = 0;
  for await (const { text } of items((page) => ledger.evidence(author, page))) {
    if (text !== uuid) break;
    count += 1;
  }
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
