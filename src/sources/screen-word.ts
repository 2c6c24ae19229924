/** What a screen says of its agent, as one source among others (M-2). */
import type { WallMs } from '../../machines/protocol.ts';
import type { SaidState, Word } from '../../machines/sessions/agent-state.ts';
import type { Screen, ScreenState } from '../screen/screen.ts';
import { SOURCES } from './policy.ts';

/** null = it says nothing: the screen is unknown, or shows a shell in place of the agent. */
const STATES: Readonly<Record<ScreenState, SaidState | null>> = {
  busy: 'working',
  busy_draft: 'working',
  idle: 'idle',
  draft: 'idle',
  blocked: 'asks',
  picker: 'asks',
  login: 'logged_out',
  limited: 'limited',
  error: 'error',
  gone: null,
  unknown: null,
};

export interface Observation {
  /** When the screen was captured. */
  readonly at: WallMs;
  /** What the screen before it said; null = nothing, or there was none. */
  readonly before: Word | null;
}

/** `since` is when this state was seen first. */
export function screenWord({ state, what, rule }: Screen, pack: string, { at, before }: Observation): Word | null {
  const said = STATES[state];
  if (said === null) return null;
  const since = before?.state === said ? before.since : at;
  const detail = said === 'working' || said === 'idle' || what === '' ? null : what.slice(0, SOURCES.maxDetailChars);
  return { by: 'screen', source: `screen, by pack ${pack}`, state: said, since, at, detail, rule };
}
