/**
 * What really happened in a simulated world, as an outside observer would write it down. The oracle reads nothing else.
 * All times are virtual milliseconds; `record` is the text of the dance's file as a power cut at that very moment would leave it.
 */

export type Cause = 'hidden' | 'person' | 'dialog' | 'limited' | 'busy';
export type Death = 'clean exit' | 'crash' | 'signal' | 'replacement' | 'clearing';
interface Recorded {
  record: string | null;
}

/** What happened at `t`: its kind, and what belongs to that. */
type Happened<Kinds> = {
  [W in keyof Kinds]: { readonly t: number; readonly what: W } & Readonly<Kinds[W]>;
}[keyof Kinds];
/** Of any kind, before the log says when. */
export type Untimed<E> = E extends { t: number } ? Omit<E, 't'> : never;

interface Kinds {
  /** A town process began, with its number. */
  booted: { town: number };
  ended: { town: number; how: 'crash' | 'exit' | 'superseded'; why: string };
  /** The root supervisor or the loop gave up by itself. */
  gaveUp: { town: number; why: string };
  /** Stopped from `t` until `until`. */
  frozen: { town: number; until: number };
  /** No town could see this session, or type into it. */
  hindered: { session: string; cause: Cause; until: number };
  /** A requester was told that its warrant is filed. `loose`: dropped by another program, so that it may be refused. */
  filed: { warrant: string; life: string; requester: string; filedAt: number } & Record<
    'force' | 'expired' | 'loose',
    boolean
  >;
  refused: { file: string; why: string };
  /** The caller may never hear of it: the town can die with the cancellation on its disk. */
  cancelAsked: { warrant: string };
  cancelled: { warrant: string; granted: boolean };
  /** An operator was told that this session is to end, and stays down. */
  stopped: { session: string; town: number };
  /** A question stands on the target's screen. */
  asked: { town: number; dance: string; life: string; code: string };
  answered: { life: string; code: string; by: 'file' | 'screen' };
  /** `truth`: what a look at this moment must not take for silence. */
  looked: { town: number; dance: string; attempt: number; life: string; saw: string; truth: string } & Recorded;
  rescued: { town: number; dance: string; life: string };
  /** `of`: whose process it is. `superseded`: a newer town had begun. `refused`: its agent was not this town's to end. */
  signalled: { town: number; dance: string; life: string; signal: string; proc: string; of: string } & Recorded &
    Record<'superseded' | 'refused', boolean> & { lookedAt: number };
  /** A process ended by a signal. */
  fell: { life: string; proc: string };
  cleared: { town: number; order: string; life: string; agentLives: boolean; superseded: boolean };
  /** `reason`: what else the letter says. */
  told: { dance: string; warrant: string; verdict: string; reason: string; survivors: number };
  /** A person was told. */
  alerted: { town: number; dance: string; episode: string };
  /** A save of these dances was acknowledged. */
  saved: { town: number; dance: string; life: string; stage: string; warrants: readonly string[] } & Record<
    /** `own`: its agent asked for its end itself. */
    'forced' | 'own',
    boolean
  >;
  /** A crash left exactly these files. */
  survived: { files: ReadonlyMap<string, string> };
  /** A life began. `by`: the town, or another program. `others` = lives of this session that still live; `isDoomed` = by a dead login. */
  born: { life: string; session: string; by: 'town' | 'other'; others: number; restart: string; isDoomed: boolean };
  /** `isWarned`: it was on record by then that the login of its account is dead. */
  startAsked: { town: number; session: string; life: string; ended: boolean; isWarned: boolean };
  died: { life: string; session: string; of: Death; shown: boolean };
  /** The hand was asked for a new life while one lived. */
  startedBeside: { session: string; life: string; lives: string };
  hung: { life: string };
  cameTo: { life: string };
  /** No session can be seen, from then until `shown`. */
  hidden: object;
  shown: object;
  /** The Deacon, by an operator. */
  paused: object;
  resumed: object;
  /** A person was told of an episode: it begins, or is over. */
  alert: { episode: string };
  recovered: { episode: string };
  /** An agent asked for its own end. */
  wrote: { life: string; letter: string; then: 'restart' | 'end' | 'nothing' };
  /** By the daemon or by Boot. */
  ordered: { type: string; issuer: string; round: number; verb: string };
  observed: { round: number; isHeard: boolean };
  /** `truth`: what its pane showed then. */
  typed: { life: string; from: string; round: number; text: string; truth: string };
  /** The bell of its agent. */
  rang: { life: string };
  /** A line to its agent stands in the channel of IRC. */
  hailed: { life: string };
  /** How an agent is from now on. */
  became: { life: string; state: string };
  /** What it says of itself. */
  reported: { life: string; status: string };
  /** A start began this conversation, or went on with it. */
  spoke: { session: string; life: string; conversation: string; resumed: boolean };
  /** Its sender was told that this work is on record. */
  sent: { send: string; session: string };
  /** A triage, or a sign of life. */
  wanted: { triage: boolean };
}
export type Entry = Happened<Kinds>;
export type Log = Entry[];
export type EntryOf<W extends Entry['what']> = Extract<Entry, { what: W }>;

/** One entry as a line of a trace. */
function lineOf(entry: Entry): string {
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
/** All entries of these kinds. */
export const anyOf = <W extends Entry['what']>(log: Log, ...whats: W[]): EntryOf<W>[] =>
  log.filter((entry): entry is EntryOf<W> => whats.includes(entry.what as W));

/** Since when something stands at this instant, begun by `on` and over by `off`; null = it does not. */
export const standsAt = (log: Log, on: Entry['what'], off: Entry['what'], at: number): number | null => {
  let since: number | null = null;
  for (const { t, what } of log) {
    if (t > at) break;
    if (what === on) since ??= t;
    else if (what === off) since = null;
  }
  return since;
};

/** A log as lines. */
export const traceOf = (log: Log): string => log.map(lineOf).join('\n');
