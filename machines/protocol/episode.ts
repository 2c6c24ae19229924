/**
 * Kinds of alerts, and which episode of one it is.
 * 1. Its name is made of a kind's declaration, and here alone: one that is written by hand does not compile.
 * 2. Names are compared, kept and told to people; who needs a part of one has it from here.
 */
declare const made: unique symbol;
export type EpisodeName = string & { readonly [made]: true };

/** The subject of an episode, fit to be typed. */
export interface About {
  /** What stands behind the kind: a session, a hearing, a message, a file; of a name with parts the part, `tw-1` of `shop/tw-1`. */
  readonly of: string;
  /** Of a name with parts the first, `shop`; else the whole. */
  readonly within: string;
  readonly session: string;
  /** Its agent has a session; else `session` is only its name. */
  readonly hasSession: boolean;
}
/** A kind of alert. */
export interface Declared {
  readonly kind: string;
  /** What to type for it; null = it is news and asks nothing. */
  readonly asks: ((about: About) => readonly string[]) | null;
  /** The words that a person may answer it with, as `town answer N` takes them; absent = it can only be acknowledged. */
  readonly answers?: readonly string[];
  /**
   * What its name refers to. If that disappears while no actor claims the episode, the episode is over
   * (src/alerts/subjects.ts).
   */
  readonly subject?: Subject;
  /** The mayor gets a letter at its beginning, if it is high or critical by then (P-11). */
  readonly isForMayor?: boolean;
  /** Each reminder makes it a step graver, up to the gravest, and the person is notified from `high` on (P-11). */
  readonly climbs?: boolean;
}
export type Subject =
  /** A file; the record of a hearing; a session's dead pane in tmux. */
  | 'file'
  | 'record'
  | 'dead pane'
  /** The one life of a session, and what its pane shows for as long as it stands. `namedBy`: absent = the session's name. */
  | { readonly lifeShows: 'dialog' | 'usage limit' | 'anything'; readonly namedBy?: 'hearing' };

/** `name`: the subject; empty = the kind has only one. */
export const episodeOf = ({ kind }: Pick<Declared, 'kind' | 'asks'>, name = ''): EpisodeName =>
  episodeIn(name === '' ? kind : `${kind}/${name}`);

/** As some town made it, and it was kept. */
export const episodeIn = (text: string): EpisodeName => text as EpisodeName;

export function aboutOf(text: string): { readonly kind: string; readonly name: string } {
  const [kind = '', ...rest] = text.split('/');
  return { kind, name: rest.join('/') };
}

/** `tw-1` of the name `shop/tw-1`; a name without parts is its own. */
export const partOf = (name: string): string => name.slice(name.indexOf('/') + 1);
/** `shop` of the name `shop` and of its part `shop/tw-1`. */
export const subjectOf = (name: string): string => name.split('/', 1)[0] ?? name;

/** In place of a name, of an episode that stands for many: no session, file or hearing is called so. */
export const MANY = '+';
export const isGroup = (episode: string): boolean => aboutOf(episode).name === MANY;
