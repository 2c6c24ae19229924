/**
 * What a caller may ask of the running town over the control socket; each is answered by exactly one `reply` order.
 * A row is all that the town needs to take it: the check of a message, who may, and the journal's sentence come from here.
 */
import type { SessionSpec } from './sessions.ts';

/** Of what kind a word is; src/socket/messages.ts checks each. With a `?` it may be null. */
export interface WordKinds {
  /** Of a session. */
  readonly name: string;
  readonly 'name?': string | null;
  readonly text: string;
  readonly 'text?': string | null;
  readonly texts: readonly string[];
  readonly flag: boolean;
  /** A whole number from 1. */
  readonly count: number;
  /** A word that may be absent. */
  readonly 'flag?': true | undefined;
  /** A session (`$3`) or a pane (`%5`) by tmux's own id; may be absent. */
  readonly 'id?': string | undefined;
  /** Words of a person. */
  readonly 'words?': string | undefined;
  readonly spec: SessionSpec;
}
type Kind = keyof WordKinds | readonly string[];
type WordOf<Of> = Of extends keyof WordKinds ? WordKinds[Of] : Of extends readonly (infer One)[] ? One : never;

export interface RequestRow {
  readonly words: Readonly<Record<string, Kind>>;
  /** Only the operator may, and this is what, as the refusal of an agent begins; absent = src/socket/denial.ts says which agent may. */
  readonly operator?: string;
  /** A word of a person that may be a secret: the journal, which every agent may read, leaves it out. */
  readonly secret?: string;
  /** A word of any length: the journal has only how it begins. */
  readonly long?: string;
  /** The journal's sentence for it. `word`: an argument of the request as text, also from a line of an older town. */
  readonly told: string | ((word: (name: string) => string) => string);
}

export const REQUESTS = {
  startSession: { words: { spec: 'spec' }, told: 'asked for its start' },
  adoptSession: {
    /** `place`: where it stands, if tmux has it under another name; `claude:<id>`: Claude Code runs it in the background. */
    words: { name: 'name', process: 'text?', tags: 'texts', place: 'id?' },
    operator: 'adopting a session',
    told: 'asked for it to be adopted',
  },
  /** It ends by intent, its work saved first. `force`: a protected one too. `fresh`: its next life begins another conversation. */
  stopSession: {
    words: { name: 'name', then: ['restart', 'end'], force: 'flag', fresh: 'flag?' },
    told: (word) => (word('then') === 'restart' ? 'asked for its restart' : 'told it to stop'),
  },
  /** The town forgets one that does not run. */
  removeSession: { words: { name: 'name' }, operator: 'forgetting a session', told: 'asked for it to be forgotten' },
  cancelWarrant: {
    words: { id: 'text', by: 'text' },
    operator: 'cancelling a warrant',
    told: (word) => `withdrew warrant ${word('id')}`,
  },
  /** One triage of the Deacon now. */
  bootTriage: { words: {}, operator: 'a triage of the Deacon', told: 'asked for a look at the Deacon' },
  /** Asks a session for a sign of life, or every one (null). */
  healthCheck: { words: { session: 'name?' }, told: 'asked whether it is well' },
  /** One cycle of a patrol now: of a rig's witness, or the Deacon's round (`deacon`). Its value is what it found. */
  patrol: { words: { of: 'text' }, told: (word) => `asked for the patrol of ${word('of')}` },
  /** Of the stall watch: a scan, a cycle or a page now, or its switch. `agent`: who is paged; else null. */
  tickle: {
    words: { do: ['scan', 'cycle', 'page', 'start', 'stop'], agent: 'text?' },
    operator: 'ordering Tickle',
    told: (word) => `ordered Tickle: ${[word('do'), word('agent')].filter((one) => one !== '').join(' ')}`,
  },
  nudge: {
    /** `raw`: typed as it is; else each line begins with a word of the town's. `atRest`: not while its agent works (W-4). */
    words: { name: 'name', text: 'text', from: 'text', raw: 'flag', atRest: 'flag?' },
    told: (word) => `had something to say to it: ${word('text')}`,
  },
  /** Types `message` into the session each time `interval` seconds have passed; `timer` is its name. */
  startTimer: {
    words: { name: 'name', timer: 'text', interval: 'count', message: 'text' },
    operator: 'a timer',
    told: (word) => `wants ${JSON.stringify(word('message'))} typed to it every ${word('interval')} s`,
  },
  /** null = all of them. */
  stopTimer: {
    words: { timer: 'text?' },
    operator: 'stopping a timer',
    told: (word) => `stopped the timer ${word('timer')}`,
  },
  /** Types `text` once its agent is at rest. `send`: its id, by which the same request once more is known. */
  send: {
    words: { name: 'name', send: 'text', text: 'text', from: 'text' },
    operator: 'giving work to a session',
    long: 'text',
    told: (word) => `sent it work: ${word('text')}`,
  },
  cancelSend: {
    words: { send: 'text' },
    operator: 'taking work back',
    told: (word) => `cancelled the work ${word('send')}`,
  },
  /**
   * Chooses `option`, by its label, in the dialog of this id that stands on its screen. `question`: its words. `text`: an
   * answer in the person's own words, behind an option that takes one.
   */
  answer: {
    words: { name: 'name', dialog: 'text', question: 'text', option: 'text', text: 'words?' },
    operator: 'answering a dialog',
    secret: 'text',
    told: (word) => `chose ${JSON.stringify(word('option'))} in its dialog: ${word('question')}`,
  },
} as const satisfies Readonly<Record<string, RequestRow>>;

type Rows = typeof REQUESTS;
export type Verb = keyof Rows;
/** Kinds of words that may be absent. */
type Absent = 'flag?' | 'id?' | 'words?';
type WordsOf<Words> = {
  readonly [Name in keyof Words as Words[Name] extends Absent ? never : Name]: WordOf<Words[Name]>;
} & { readonly [Name in keyof Words as Words[Name] extends Absent ? Name : never]?: WordOf<Words[Name]> };
export type RequestOf<Of extends Verb> = { [V in Of]: { readonly verb: V } & WordsOf<Rows[V]['words']> }[Of];
export type Request = RequestOf<Verb>;
/** What an agent may ask too, each by a rule of its own. */
export type AgentVerb = { [V in Verb]: Rows[V] extends { readonly operator: string } ? never : V }[Verb];
