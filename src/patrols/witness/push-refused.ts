/**
 * A push that a remote refused, or the town for a key in it. What either does not want of a commit, it does not want in the next cycle
 * either. Another commit is pushed at once.
 */
import { span } from '../../../machines/kernel/span.ts';
import type { CycleAct } from '../../../machines/witness/cycle-step.ts';
import { Failure } from '../../terminal/failure.ts';
import { notesOf, type Note } from '../../../state/patrols/notes.ts';
import { age } from '../../ports/age.ts';
import { ofLife, remember, type Noting } from '../memory/notes.ts';
import { CaseAsks } from '../memory/outcome.ts';
import { PATROL_HANDS } from '../policy.ts';

export interface Refusal extends Noting {
  /** When the polecat that this agent is began (wall ms); null = there is none. */
  readonly bornAt: (agent: string) => number | null;
  /** Whether the remote lacks the work on this branch of its polecat, or does not tell. */
  readonly lacks: (agent: string, branch: string) => Promise<boolean>;
}
type Pushing = Pick<Extract<CycleAct, { act: 'nuke' }>, 'agent' | 'branch' | 'commit'>;

/** The first and the last time that this commit was refused; null = it was not. */
async function refusedBefore({ disk, bornAt }: Refusal, { agent, commit }: Pushing): Promise<[Note, Note] | null> {
  const notes = await notesOf(disk, agent);
  const [first, last] = [notes['hook-push'], notes['push-again']].map((one) => ofLife({ at: bornAt(agent) ?? 0 }, one));
  return first && last && first.kind === (commit ?? '') ? [first, last] : null;
}

/** Throws where this polecat's push was refused not long ago. A person may have pushed it meanwhile. */
export async function refuseRefused(deps: Refusal, act: Pushing): Promise<void> {
  const [first, last] = (await refusedBefore(deps, act)) ?? [];
  if (first === undefined || last === undefined) return;
  const { firstMs, mostMs } = PATROL_HANDS.pushAgain;
  const restMs = Math.min(Math.max(firstMs, age(first.at, last.at)), mostMs);
  if (age(last.at, deps.now) >= restMs || !(await deps.lacks(act.agent, act.branch))) return;
  throw new CaseAsks(`${last.text}; it is tried again ${span(restMs)} after that`);
}

/**
 * One case, for a person who can change what the remote allows: throws once it is open. A remote that does not answer is asked again in the
 * next cycle.
 */
export async function noteRefusal(
  deps: Refusal,
  act: Pushing,
  error: unknown,
  ask: (act: Extract<CycleAct, { act: 'triage' }>) => Promise<unknown>,
): Promise<void> {
  if (!(error instanceof Failure)) return;
  const who = error.code === 'secret' ? 'the town' : error.code === 'push_refused' ? 'the remote' : null;
  if (who === null) return;
  const { agent, commit } = act;
  const why = error.message.replaceAll('\n', ' ');
  if ((await refusedBefore(deps, act)) === null) await remember(deps, agent, 'hook-push', commit ?? '', why);
  await remember(deps, agent, 'push-again', 'refused', why);
  await ask({ act: 'triage', type: 'dirty_polecat', agent, context: `${who} refused its push: ${why}` });
  throw new CaseAsks(error.message, { cause: error });
}
