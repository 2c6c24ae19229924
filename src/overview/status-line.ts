/** How the agents are, in a few words for a status line: `2 ask · 1 limited · 9 work`. Empty = none of them is so. */
import type { Incarnation } from '../../machines/protocol.ts';
import type { AgentState } from '../../machines/sessions/agent-state.ts';
import { agentsNow } from './agents-now.ts';
import type { Asking } from './asking.ts';

/** In this order: what needs a person comes first. */
const SHOWN: Partial<Record<AgentState, string>> = {
  asks: 'ask',
  logged_out: 'logged out',
  limited: 'limited',
  working: 'work',
};

/** As the last look saw them: nothing is asked for it. */
export async function statusLine(
  asking: Pick<Asking, 'of' | 'seen' | 'heard'>,
  lives: readonly Incarnation[],
): Promise<string> {
  const sources = { of: () => Promise.resolve(asking.heard) };
  const agents = await agentsNow({ sources, seen: (uuid) => asking.seen(uuid) }, lives);
  const states = lives.map(({ uuid }) =>
    (asking.of(uuid) ?? '') === '' ? agents.get(uuid)?.verdict.word?.state : 'asks',
  );
  return Object.entries(SHOWN)
    .map(([state, word]) => [states.filter((one) => one === state).length, word] as const)
    .flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]))
    .join(' · ');
}
