/** Words that a witness has for an agent, and what it remembers of them: what was said, and why a pane took no words. */
import type { CycleAct } from '../../machines/witness/cycle.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { Failure } from '../terminal/failure.ts';
import { EXEMPTS, hookOf, NOT_EXEMPT, nudgesOf } from './evidence.ts';
import { refineryOf } from './refinery.ts';

export interface SpeakDeps {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
  /** Rejects with `Failure` where its pane takes no words. */
  readonly nudge: (agent: string, text: string) => Promise<void>;
  /** So long a nudge that is refused for the same reason as before is not noted again. */
  readonly exemptAgainMs: number;
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
  return kind === 'hook' ? hookOf(rig, agent, 'nudge') : nudgesOf(rig, agent);
}

export async function nudge(deps: SpeakDeps, { agent, text, kind }: Nudge): Promise<string> {
  const { rig } = deps;
  try {
    await deps.nudge(agent, text);
  } catch (error) {
    if (error instanceof Failure && EXEMPTS.has(error.code)) await exempt(deps, agent, error.code, error.message);
    throw error;
  }
  await remember(deps, memoryOf(rig, agent, kind), kind, text);
  await exempt(deps, agent, NOT_EXEMPT, '');
  return text;
}

/** Why its screen takes no words; noted where that is another reason than before, and now and then while it lasts. */
async function exempt(deps: SpeakDeps, agent: string, reason: string, text: string): Promise<void> {
  const author = hookOf(deps.rig, agent, 'exempt');
  const before = await deps.ledger.newestEvidence(author);
  const isNoted = (before?.kind ?? NOT_EXEMPT) === reason && (before?.text ?? '') === text;
  const isFresh = before === null || reason === NOT_EXEMPT || deps.now - before.at < deps.exemptAgainMs;
  if (!isNoted || !isFresh) await remember(deps, author, reason, text);
}
