/** A push that a remote refused, or the town for a key in it. What it says no to, it says no to in the next cycle as well. */
import type { CycleAct } from '../../../machines/witness/cycle-step.ts';
import { Failure } from '../../terminal/failure.ts';
import { noteOf } from '../../../state/patrols/notes.ts';
import { age } from '../../ports/age.ts';
import { ofLife, remember, type Noting } from '../memory/notes.ts';
import { PATROL_HANDS } from '../policy.ts';

interface Refusal extends Noting {
  readonly bornAt: (agent: string) => number | null;
}

/** Throws where this polecat's push was refused not long ago. */
export async function refuseRefused({ disk, now, bornAt }: Refusal, agent: string): Promise<void> {
  const last = ofLife({ at: bornAt(agent) ?? 0 }, await noteOf(disk, agent, 'hook-push'));
  if (last === null || age(last.at, now) >= PATROL_HANDS.pushAgainMs) return;
  throw new Error(`${last.text}; it is tried again an hour after that`);
}

/** One case, for a person who can change what the remote allows. A remote that does not answer is asked again in the next cycle. */
export async function noteRefusal(
  deps: Refusal,
  agent: string,
  error: unknown,
  ask: (act: Extract<CycleAct, { act: 'triage' }>) => Promise<unknown>,
): Promise<void> {
  if (!(error instanceof Failure)) return;
  const why = error.message.replaceAll('\n', ' ');
  const who =
    error.code === 'secret' ? 'the town' : error.code === 'not_pushed' && REFUSES.test(why) ? 'the remote' : null;
  if (who === null) return;
  await remember(deps, agent, 'hook-push', 'refused', why);
  await ask({ act: 'triage', type: 'dirty_polecat', agent, context: `${who} refused its push: ${why}` });
}

/** As git and the hosts put it. */
const REFUSES = /rejected|declined|denied|protected|forbidden|not allowed|read.only|\b403\b/i;
