/**
 * What really happened in a simulated world, as an outside observer would write it down. The oracle reads nothing else.
 * All times are virtual milliseconds; `record` is the text of the dance's file as a power cut at that very moment would leave it.
 */

export type Cause = 'hidden' | 'person' | 'dialog' | 'busy';

export type Entry = { readonly t: number } &
  /** A town process began, with its number. */
  (
    | { readonly what: 'booted'; readonly town: number }
    | {
        readonly what: 'ended';
        readonly town: number;
        readonly how: 'crash' | 'exit' | 'superseded';
        readonly why: string;
      }
    /** The root supervisor or the loop gave up by itself. */
    | { readonly what: 'gaveUp'; readonly town: number; readonly why: string }
    /** Stopped from `t` until `until`. */
    | { readonly what: 'frozen'; readonly town: number; readonly until: number }
    /** No town could see this session, or type into it. */
    | { readonly what: 'hindered'; readonly session: string; readonly cause: Cause; readonly until: number }
    /** A requester was told that its warrant is filed. */
    | {
        readonly what: 'filed';
        readonly warrant: string;
        readonly life: string;
        readonly requester: string;
        readonly filedAt: number;
        readonly force: boolean;
        readonly expired: boolean;
        /** Dropped by another program: it may be refused. */
        readonly loose: boolean;
      }
    | { readonly what: 'refused'; readonly file: string; readonly why: string }
    /** Whoever asked may never hear of it: the town can die with the cancellation on its disk. */
    | { readonly what: 'cancelAsked'; readonly warrant: string }
    | { readonly what: 'cancelled'; readonly warrant: string; readonly granted: boolean }
    /** An operator was told that this session is to end, and stays down. */
    | { readonly what: 'stopped'; readonly session: string; readonly town: number }
    /** A question stands on the target's screen. */
    | {
        readonly what: 'asked';
        readonly town: number;
        readonly dance: string;
        readonly life: string;
        readonly code: string;
      }
    | { readonly what: 'answered'; readonly life: string; readonly code: string; readonly by: 'file' | 'screen' }
    | {
        readonly what: 'looked';
        readonly town: number;
        readonly dance: string;
        readonly attempt: number;
        readonly life: string;
        readonly saw: string;
        /** What a look at this moment must not take for silence. */
        readonly truth: string;
        readonly record: string | null;
      }
    | { readonly what: 'rescued'; readonly dance: string; readonly life: string }
    | {
        readonly what: 'signalled';
        readonly town: number;
        readonly dance: string;
        readonly life: string;
        readonly signal: string;
        readonly proc: string;
        /** Whose process it is. */
        readonly of: string;
        readonly record: string | null;
        /** A newer town had begun. */
        readonly superseded: boolean;
        /** Its agent was not this town's to end. */
        readonly refused: boolean;
      }
    /** A process ended by a signal. */
    | { readonly what: 'fell'; readonly life: string; readonly proc: string }
    | {
        readonly what: 'cleared';
        readonly town: number;
        readonly order: string;
        readonly life: string;
        readonly agentLives: boolean;
        readonly superseded: boolean;
      }
    | {
        readonly what: 'told';
        readonly dance: string;
        readonly warrant: string;
        readonly verdict: string;
        /** What else the letter says. */
        readonly reason: string;
        readonly survivors: number;
      }
    /** A person was told. */
    | { readonly what: 'alerted'; readonly town: number; readonly dance: string; readonly episode: string }
    /** Nor could they be: the disk refused it, or their command. */
    /** A save of these dances was acknowledged. */
    | {
        readonly what: 'saved';
        readonly town: number;
        readonly dance: string;
        readonly warrants: readonly string[];
        readonly closed: boolean;
        readonly verdict: string | null;
        readonly forced: boolean;
      }
    /** A crash left exactly these files. */
    | { readonly what: 'survived'; readonly files: ReadonlyMap<string, string> }
    /** A life began. `by` the town, or somebody else. `others` = lives of this session that still live. */
    | {
        readonly what: 'born';
        readonly life: string;
        readonly session: string;
        readonly by: 'town' | 'other';
        readonly others: number;
        readonly restart: string;
      }
    | {
        readonly what: 'startAsked';
        readonly town: number;
        readonly session: string;
        readonly life: string;
        readonly ended: boolean;
      }
    | {
        readonly what: 'died';
        readonly life: string;
        readonly session: string;
        readonly of: 'clean exit' | 'crash' | 'signal' | 'replacement' | 'clearing';
        readonly shown: boolean;
      }
  );

export type Log = Entry[];
export type EntryOf<W extends Entry['what']> = Extract<Entry, { what: W }>;

/** One entry as a line of a trace. */
export function lineOf(entry: Entry): string {
  const { t, what, ...rest } = entry;
  const words = Object.entries(rest).map(([key, value]) => {
    if (key === 'record') return `record=${typeof value === 'string' ? `${value.length} B` : 'none'}`;
    if (value instanceof Map) return `${key}=${value.size}`;
    return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return `${String(Math.round(t)).padStart(8)} ${what.padEnd(10)} ${words.join(' ')}`;
}

/** All entries of one kind. */
export const of = <W extends Entry['what']>(log: Log, what: W): EntryOf<W>[] =>
  log.filter((entry): entry is EntryOf<W> => entry.what === what);
