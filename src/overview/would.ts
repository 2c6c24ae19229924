/** What the town would do about a pane as it is now: a table, read from the top. Pure; nothing here acts. */

import type { ScreenState } from '../screen/screen.ts';

/** Who manages a pane: started or adopted by this town, a person's beside one of ours, another town's, or unmanaged. */
export type Managed = 'started' | 'adopted' | 'split' | 'other town' | 'nobody';

/** What an agent's screen says, or that its pane is dead. */
export type PaneState = ScreenState | 'dead';

/** A pane as far as it decides. */
export interface Standing {
  /** claude, codex …; for a life of ours whose program is none of these its name; null = nothing looks like an agent. */
  readonly agent: string | null;
  readonly state: PaneState;
  readonly managed: Managed;
  /** The glob of `[town] protected` that covers its session; null = none does. */
  readonly protected: string | null;
  /** A person pressed a key there lately. */
  readonly person: boolean;
  /** What keeps keys from the agent, in a few words: copy mode, a shell in front; null = nothing. */
  readonly obstacle: string | null;
  /** Nothing stands in its composer but old questions of the town, which it takes out before it types. */
  readonly leftOver: boolean;
  /** Text may be typed, as far as its screen tells. */
  readonly mayType: boolean;
}

/** nothing · wait (ask later) · tell (a person) · ask (if a warrant names it) · end (see to its end). */
export type Act = 'nothing' | 'wait' | 'tell' | 'ask' | 'end';

export interface Would {
  readonly act: Act;
  /** In a few words. */
  readonly why: string;
  /** The session is unmanaged: the town does nothing until `town session adopt` makes it ours. */
  readonly once_adopted: boolean;
}

interface Row {
  readonly if: (pane: Standing) => boolean;
  readonly act: Act;
  readonly why: string | ((pane: Standing) => string);
}

/** A person has to answer before it goes on. */
const ASKING: readonly PaneState[] = ['blocked', 'login', 'picker'];

const TABLE: readonly Row[] = [
  { if: ({ managed }) => managed === 'other town', act: 'nothing', why: 'another town’s' },
  { if: ({ managed }) => managed === 'split', act: 'nothing', why: 'a person’s pane' },
  { if: (pane) => pane.protected !== null, act: 'nothing', why: 'protected' },
  { if: ({ agent, managed }) => agent === null && managed === 'nobody', act: 'nothing', why: 'no agent' },
  { if: ({ state, managed }) => state === 'dead' && managed === 'nobody', act: 'nothing', why: 'it has ended' },
  { if: ({ state, managed }) => state === 'dead' && managed === 'started', act: 'end', why: 'restart by its policy' },
  { if: ({ state }) => state === 'dead', act: 'end', why: 'record it' },
  { if: ({ person }) => person, act: 'wait', why: 'a person is there' },
  { if: ({ state }) => ASKING.includes(state), act: 'tell', why: 'it asks a person' },
  { if: ({ state }) => state === 'limited', act: 'tell', why: 'a usage limit' },
  { if: ({ obstacle }) => obstacle !== null, act: 'wait', why: ({ obstacle }) => obstacle ?? '' },
  { if: ({ leftOver }) => leftOver, act: 'ask', why: 'if a warrant comes; its old question is taken out first' },
  { if: ({ state }) => state === 'draft' || state === 'busy_draft', act: 'wait', why: 'a half-typed line' },
  { if: ({ mayType }) => !mayType, act: 'wait', why: 'no empty composer in sight' },
  { if: () => true, act: 'ask', why: 'if a warrant comes' },
];

/** The first row that fits. */
export function wouldDo(pane: Standing): Would {
  const row = TABLE.find((one) => one.if(pane));
  if (row === undefined) throw new TypeError('the table ends with a row that always fits');
  const why = typeof row.why === 'string' ? row.why : row.why(pane);
  return { act: row.act, why, once_adopted: pane.managed === 'nobody' && row.act !== 'nothing' };
}
