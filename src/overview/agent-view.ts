/** How an agent is, as `status --json` has it, from the verdict over its sources (M-2). */
import type { SessionRecord, WallMs } from '../../machines/protocol.ts';
import { leavesDoubt, type AgentState, type Verdict, type Word } from '../../machines/sessions/agent-state.ts';
import type { AgentNow } from './agents-now.ts';

/** One source's word. */
export interface SourceView {
  readonly state: AgentState;
  /** For people, such as `claude session file`; null = none decided. */
  readonly source: string | null;
  /** ISO; null = not known. */
  readonly since: string | null;
  /** The rule of a pack that told it; absent = none did. */
  readonly rule?: string;
}

/** How an agent is (M-2). */
export interface ScreenView extends SourceView {
  /** The words that contradict each other: the state is unknown then. Absent = none do. */
  readonly disagree?: readonly SourceView[];
  /** Why no source tells how it is, as the end of a sentence. Absent = one does, or the town did not look yet. */
  readonly not_watched?: string;
}

/** The conversation that its program is in. */
export interface ConversationView {
  readonly id: string;
  /** Whether it is the one of the life before, by the program's own word where it is heard; null = the program names none. */
  readonly resumed: boolean | null;
  /** Why it was begun anew, and which one was left for it. Absent = it was not. */
  readonly because?: string;
  readonly left?: string;
}

/** The account that its agent uses, and whether that keeps it from working (M-9). */
export interface AccountView {
  /** Of those with the same one. */
  readonly id: string;
  /** Such as `~/.claude`. */
  readonly label: string;
  /** null = as far as it showed, its account does not keep it from working. */
  readonly barred: 'limited' | 'logged_out' | null;
  /** ISO; null = not barred. */
  readonly since: string | null;
  /** When a limit ends, as its program says; null = it does not. */
  readonly resets: string | null;
  /** The same as ISO time; null = its words are no time. */
  readonly resets_at: string | null;
  /** ISO: the town told it to go on since the limit should be over. Absent = it did not. */
  readonly told?: string;
  /** ISO: the account is logged in again since then, and this agent still uses the old login. Absent = it does not. */
  readonly outdated?: string;
}

interface AgentView {
  readonly screen: ScreenView | null;
  readonly conversation: ConversationView | null;
}

interface AsksView {
  readonly asks: string | null;
  readonly unlooked?: true;
}

interface AgentsAround {
  /** undefined = the running town did not look at its pane yet. */
  readonly asksOf: (uuid: string) => string | null | undefined;
  /** By the uuid of a life. */
  readonly agents: ReadonlyMap<string, AgentNow>;
}

/** What it asks a person, and whether the running town saw its pane. */
export function asksIn(
  { state, incarnation }: SessionRecord,
  alive: boolean | null,
  { asksOf, agents }: AgentsAround,
): AsksView {
  if (alive !== true || incarnation === null) return { asks: null };
  const { word } = agents.get(incarnation.uuid)?.verdict ?? { word: null };
  if (word?.by === 'program' && !leavesDoubt(word))
    return { asks: word.state === 'asks' ? (word.detail ?? word.source) : null };
  const asks = asksOf(incarnation.uuid);
  if (asks !== undefined) return { asks };
  // Without a pane, only its program could tell.
  if (incarnation.origin === 'detached') return { asks: null };
  return state === 'running' || state === 'observed' ? { asks: null, unlooked: true } : { asks: null };
}

const iso = (at: WallMs | null): string | null => (at === null ? null : new Date(at).toISOString());

const sourceView = ({ state, source, since, rule }: Word): SourceView => ({
  state,
  source,
  since: iso(since),
  ...(rule !== null && { rule }),
});

/** As `--json` has it. */
export function screenView({ word, disagree }: Verdict): ScreenView {
  if (word !== null) return sourceView(word);
  const none = { state: 'unknown', source: null, since: null } as const;
  return disagree.length === 0 ? none : { ...none, disagree: disagree.map(sourceView) };
}

/** `said`: by its program; null = it does not tell. `given`: by its start; absent = by none. */
export function conversationView(said: string | null, given?: SessionRecord['conversation']): ConversationView | null {
  if (given === undefined) return said === null ? null : { id: said, resumed: null };
  const { id, resumed, because, left } = given;
  if (said === null) return { id, resumed: null };
  if (said !== id)
    return {
      id: said,
      resumed: false,
      because: `its program names another than ${id}, the last that a start of it named`,
    };
  return { id, resumed, ...(because !== undefined && { because }), ...(left !== undefined && { left }) };
}

/** `town refinery`, by the words of its command: no agent, so no source tells how it is. The round of its rig watches it. */
const isOwnProgram = ({ command }: SessionRecord['spec']): boolean => {
  const at = command.findIndex((word) => /(?:^|\/)town(?:\.cjs)?$/.test(word));
  return at >= 0 && command.includes('refinery', at + 1);
};

export function agentIn(
  { incarnation, conversation, spec }: SessionRecord,
  alive: boolean | null,
  { agents }: Pick<AgentsAround, 'agents'>,
): AgentView {
  const now = alive === true && incarnation !== null ? agents.get(incarnation.uuid) : undefined;
  if (now === undefined) return { screen: null, conversation: null };
  const unheard = isOwnProgram(spec) ? null : now.unheard;
  return {
    screen: { ...screenView(now.verdict), ...(unheard !== null && { not_watched: unheard }) },
    conversation: conversationView(now.conversation, conversation),
  };
}

/** null = not known. */
export function accountView({ account, bar }: Pick<SessionRecord, 'account' | 'bar'>): AccountView | null {
  if (account === undefined) return null;
  const { id, label } = account;
  const { by = null, since = null, resets = null, resetsAt = null, outdated, goOn } = bar ?? {};
  const state = { barred: by, since: iso(since), resets, resets_at: iso(resetsAt) };
  const told = goOn?.is === 'told' && { told: new Date(goOn.at).toISOString() };
  return {
    id,
    label,
    ...state,
    ...told,
    ...(outdated !== undefined && { outdated: new Date(outdated).toISOString() }),
  };
}
