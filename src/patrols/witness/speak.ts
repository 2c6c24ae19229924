/** Words that a witness has for an agent, and what it remembers of them: what was said, and why a pane took no words. */
import type { CycleAct } from '../../../machines/witness/cycle-step.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { Failure } from '../../terminal/failure.ts';
import { hookOf, NOT_EXEMPT, nudgesOf, toldOnce, UNSPOKEN } from '../memory/evidence.ts';
import { refineryOf } from './refinery.ts';
import { newestOf } from '../../ledger/walk.ts';

export interface SpeakDeps {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
  /** Rejects with `Failure` where its pane takes no words. */
  readonly nudge: (agent: string, text: string) => Promise<void>;
}

export const remember = (
  { ledger, now }: Pick<SpeakDeps, 'ledger' | 'now'>,
  author: string,
  kind: string,
  text: string,
): Promise<unknown> => ledger.addEvidence({ id: `${author}-${kind}-${now}`, author, kind, text, at: now });

type Nudge = Extract<CycleAct, { act: 'nudge' }>;

/** Where it is remembered that it was said. */
function memoryOf(rig: string, agent: string, kind: Nudge['kind']): string {
  if (kind === 'wake' || kind === 'queue') return refineryOf(rig, kind);
  if (kind === 'empty' || kind === 'closed' || kind === 'red' || kind === 'dirty') return toldOnce(rig, agent, kind);
  return kind === 'hook' ? hookOf(rig, agent, 'nudge') : nudgesOf(rig, agent);
}

export async function nudge(deps: SpeakDeps, { agent, text, kind }: Nudge): Promise<string> {
  const { rig } = deps;
  const said = memoryOf(rig, agent, kind);
  try {
    await deps.nudge(agent, text);
  } catch (error) {
    if (error instanceof Failure) {
      await remember(deps, hookOf(rig, agent, 'exempt'), error.code, error.message);
      if (UNSPOKEN.has(error.code)) await remember(deps, said, kind, error.message);
    }
    throw error;
  }
  await remember(deps, said, kind, text);
  await isNotExempt(deps, agent);
  return text;
}

/** It takes words again. */
async function isNotExempt(deps: SpeakDeps, agent: string): Promise<void> {
  const author = hookOf(deps.rig, agent, 'exempt');
  const before = await newestOf(deps.ledger, author);
  if (before !== null && before.kind !== NOT_EXEMPT) await remember(deps, author, NOT_EXEMPT, '');
}
