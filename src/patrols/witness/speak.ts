/** Words that a witness has for an agent, and what it notes of them: what was said, and why a pane took no words. */
import type { CycleAct } from '../../../machines/witness/cycle-step.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { noteOf, type Noted } from '../../../state/patrols/notes.ts';
import { Failure } from '../../terminal/failure.ts';
import { NOT_EXEMPT, remember, UNSPOKEN, UNTYPED, type Noting } from '../memory/notes.ts';

export interface SpeakDeps extends Noting {
  readonly rig: string;
  readonly ledger: Ledger;
  /** Rejects with `Failure` where its pane takes no words. */
  readonly nudge: (agent: string, text: string) => Promise<void>;
}

type Nudge = Extract<CycleAct, { act: 'nudge' }>;

/** What is noted once it was said; it was said gently, or with a deadline, where this names nothing else. */
const SAID: Readonly<Partial<Record<Nudge['kind'], Noted>>> = {
  wake: 'wake',
  queue: 'queue',
  empty: 'empty',
  closed: 'closed',
  red: 'red',
  dirty: 'dirty',
  hook: 'hook-nudge',
};

export async function nudge(deps: SpeakDeps, { agent, text, kind }: Nudge): Promise<string> {
  const said = SAID[kind] ?? 'nudge';
  try {
    await deps.nudge(agent, text);
  } catch (error) {
    if (error instanceof Failure) {
      await remember(deps, agent, 'hook-exempt', error.code, error.message);
      // A gentle nudge and one with a deadline have one note, and its kind tells which it was.
      const as = said === 'nudge' ? kind : UNTYPED;
      if (UNSPOKEN.has(error.code)) await remember(deps, agent, said, as, error.message);
    }
    throw error;
  }
  await remember(deps, agent, said, kind, text);
  // It takes words again.
  const before = await noteOf(deps.disk, agent, 'hook-exempt');
  if (before !== null && before.kind !== NOT_EXEMPT) await remember(deps, agent, 'hook-exempt', NOT_EXEMPT, '');
  return text;
}
