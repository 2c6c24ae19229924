/** A push that a remote refused, or the town for a key in it. What it says no to, it says no to in the next cycle as well. */
import type { CycleAct } from '../../../machines/witness/cycle-step.ts';
import { Failure } from '../../terminal/failure.ts';
import { hookOf } from '../memory/evidence.ts';
import { PATROL_HANDS } from '../policy.ts';
import { remember, type SpeakDeps } from './speak.ts';
import { age, order } from '../../ports/age.ts';
import { newestOf } from '../../ledger/walk.ts';

interface Refusal extends Pick<SpeakDeps, 'ledger' | 'rig' | 'now'> {
  readonly bornAt: (agent: string) => number | null;
}

/** Throws where this polecat's push was refused not long ago. */
export async function refuseRefused({ ledger, rig, now, bornAt }: Refusal, agent: string): Promise<void> {
  const last = await newestOf(ledger, hookOf(rig, agent, 'push'));
  if (last === null || order(last.at) < order(bornAt(agent) ?? 0) || age(last.at, now) >= PATROL_HANDS.pushAgainMs)
    return;
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
  await remember(deps, hookOf(deps.rig, agent, 'push'), 'refused', why);
  await ask({ act: 'triage', type: 'dirty_polecat', agent, context: `${who} refused its push: ${why}` });
}

/** As git and the hosts put it. */
const REFUSES = /rejected|declined|denied|protected|forbidden|not allowed|read.only|\b403\b/i;
