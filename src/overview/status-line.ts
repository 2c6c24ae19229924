/** How the agents are, in a few words for a status line: `2 ask · 1 limited · 9 work`. Empty = none of them is so. */
import type { AgentState } from '../../machines/sessions/agent-state.ts';
import type { AgentNow } from './agents-now.ts';

/** In this order: what needs a person comes first. */
const SHOWN: Partial<Record<AgentState, string>> = {
  asks: 'ask',
  logged_out: 'logged out',
  limited: 'limited',
  working: 'work',
};

/** `asksOf`: what each life asks a person; empty = not known. */
export function statusLine(
  agents: ReadonlyMap<string, AgentNow>,
  asksOf: (uuid: string) => string | null | undefined,
): string {
  const states = [...agents].map(([uuid, { verdict }]) => ((asksOf(uuid) ?? '') === '' ? verdict.word?.state : 'asks'));
  return Object.entries(SHOWN)
    .map(([state, word]) => [states.filter((one) => one === state).length, word] as const)
    .flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]))
    .join(' · ');
}
