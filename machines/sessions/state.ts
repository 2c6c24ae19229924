/**
 * The book of sessions: records, and what of them lives only as long as the process. Shared by the machine's decisions.
 * An unchanged record stays the same object, so that writers need not compare bytes.
 */
import { reply, type Decision } from '../kernel/decision.ts';
import type { DancePolicy } from '../hearings/policy.ts';
import type { Burn } from './burn.ts';
import type { SessionsPolicy } from './policy.ts';
import type {
  Exit,
  Instant,
  Ms,
  NewsBody,
  Order,
  OrderId,
  Reply,
  SeenSession,
  SessionRecord,
  SessionSpec,
  WallMs,
  ServerDeaths,
  Halted,
} from '../protocol.ts';

interface Question extends Pick<SeenSession, 'uuid' | 'question'> {
  readonly what: string | null;
}

/** What a session with a limit took when it was measured. */
export interface Measured {
  /** Of the life. */
  readonly uuid: string;
  /** In RAM, when it began to be above or within its limit. */
  readonly bytes: number;
  readonly isOver: boolean;
}

export interface SessionsInput {
  readonly policy: SessionsPolicy;
  readonly entropy: string;
  /** The agents of town.toml. */
  readonly agents: readonly SessionSpec[];
  /** That of them which `[monitor] mode` starts, by name; absent = `[[agents]]` names each. */
  readonly monitor?: string;
  /** The numbers of an execution, by which survivors are ended; absent = none are. */
  readonly dance?: Pick<DancePolicy, 'termGraceMs' | 'killGraceMs' | 'maxRounds'>;
  /** Whether `[town] protected` covers a name; absent = it covers none. */
  readonly isProtected?: (session: string) => boolean;
}
/** The part of a session's state that a restart of the town loses. */
export interface Live {
  /** When its start is due, or the warrant of its end to be filed again; null = nothing is, or its order is out. */
  readonly dueAt: Instant | null;
  /** The caller that waits for the start's outcome. */
  readonly rpc: string | null;
  /** An operator asked for this start. */
  readonly byHand?: boolean;
  /** Since when it waits for a person at the keys of its dead pane. */
  readonly personSince?: Instant;
  readonly ending?: Ending;
  /** How long one that is not calm yet has been seen alive; its record follows in steps. */
  readonly aliveMs?: Ms;
  /** Since when the life is unclear although tmux answers. */
  readonly unknownSince?: Instant;
  /** The order to end the session failed. */
  readonly isSpared?: boolean;
}
/** Survivors that are being ended before a start. */
export interface Ending {
  /** Uuids of the lives whose work is saved already. */
  readonly saved: readonly string[];
  /** Rounds of signals so far, by the uuid of their life. */
  readonly rounds: Readonly<Record<string, number>>;
  /** Orders so far: makes their ids differ. */
  readonly step: number;
}
/** A caller that waits for the outcome of an order, and the session that the order is about. */
export type Call = { readonly rpc: string; readonly name: string } & (
  | {
      readonly verb: 'adopt';
      readonly process: string | null;
      readonly tags: readonly string[];
    }
  | { readonly verb: 'nudge' }
  | { readonly verb: 'answer' }
  | { readonly verb: 'remove' }
);
export type Wanted = Pick<NewsBody & { readonly type: 'SESSION_WANTED' }, 'spec' | 'uuid' | 'why'>;
export interface SessionsState extends SessionsInput {
  readonly records: Readonly<Record<string, SessionRecord>>;
  readonly live: Readonly<Record<string, Live>>;
  /** By the id of the order. */
  readonly calls: Readonly<Record<string, Call>>;
  /** Sessions that were forgotten by this process, by name: when. */
  readonly forgotten: Readonly<Record<string, WallMs>>;
  /** A scan is out; another is wanted when it is back. */
  readonly scanning: boolean;
  readonly scanAgain: boolean;
  readonly nextScanAt: Instant | null;
  /** The last scan that saw. */
  readonly scannedAt: Instant | null;
  /** When the ages of restarts were last brought up to date. */
  readonly agedAt: Instant | null;
  readonly unknownSince: Instant | null;
  /** It lasts. */
  readonly unknownTold: boolean;
  readonly serverGone: boolean;
  /** tmux has not told yet which lives stand there without a record. */
  readonly seekLost: boolean;
  /** tmux has answered this process, or no session needs it. */
  readonly settled: boolean;
  /** null = none that is known of. Durable; the other two are not. */
  readonly serverDeaths: ServerDeaths | null;
  /** When their ages were last brought up to date. */
  readonly serverAgedAt: Instant | null;
  /** How long a server has been seen up since the last death. */
  readonly serverStableMs: Ms;
  /** Exits that the death hook told of lives in this book: a pane may be cleared before a scan reads its status. */
  readonly deaths: Readonly<Record<string, Exit>>;
  /** What each session asked a person when its screen was looked at last, by name; `what` as in `SeenSession.asks`. */
  readonly asking: Readonly<Record<string, Question>>;
  /** How the last turn of each session halted, by name; `halt` as in `SeenSession.halted`. */
  readonly halted: Readonly<Record<string, { readonly uuid: string; readonly halt: Halted | null }>>;
  /** Of sessions with a limit that were measured, by name. */
  readonly memory: Readonly<Record<string, Measured>>;
  /** Of sessions whose spending is known, by name. */
  readonly burning: Readonly<Record<string, Burn>>;
  /** Sessions that differed from town.toml when their records were read. */
  readonly differing: readonly string[];
  /** When what dead lives left is looked for next; null = a look is out, or no such life is known. */
  readonly remainsAt: Instant | null;
  /** Asked for before the records were read. */
  readonly wanted: readonly Wanted[];
  /** Starts so far; makes ids differ. */
  readonly starts: number;
  readonly wakeAt: Instant | null;
}
export type SessionsDecision = Decision<SessionsState>;

export const emptyBook = (input: SessionsInput): SessionsState => ({
  ...input,
  records: {},
  live: {},
  calls: {},
  forgotten: {},
  deaths: {},
  asking: {},
  halted: {},
  memory: {},
  burning: {},
  differing: [],
  wanted: [],
  starts: 0,
  scanning: false,
  scanAgain: false,
  nextScanAt: null,
  scannedAt: null,
  agedAt: null,
  remainsAt: null,
  unknownSince: null,
  unknownTold: false,
  serverGone: false,
  seekLost: false,
  settled: false,
  serverDeaths: null,
  serverAgedAt: null,
  serverStableMs: 0,
  wakeAt: null,
});

/** Of an order of the sessions. */
export const idOf = (verb: string, about: OrderId = {}): OrderId => ({ issuer: 'sessions', verb, ...about });
export const NOT_LIVE: Live = { dueAt: null, rpc: null };
/** It has a life that a scan can see. */
export const isWatched = (r: Pick<SessionRecord, 'state'>): boolean => r.state === 'running' || r.state === 'observed';
/** The name has a life, or is about to have one. */
const isTaken = (r: SessionRecord): boolean => isWatched(r) || r.state === 'starting';
/** Its last life ended for good, as its agent asked or an order said. */
const endedAsAsked = ({ state, asked, incarnation }: SessionRecord): boolean =>
  state === 'ended' && asked?.then === 'end' && asked.uuid === (incarnation?.uuid ?? '');
const isTowns = (asked: SessionRecord['asked']): boolean =>
  asked?.townAt !== undefined && asked.operatorAt === undefined;
/** It ended as its agent asked (C-10) or an operator ordered: only a person starts it again. */
export const isRetired = (r: SessionRecord): boolean => endedAsAsked(r) && !isTowns(r.asked);
/** It ended as a patrol of the town ordered, which had no use for it: the town starts it again once it has. */
export const isEndedByTown = (r: SessionRecord): boolean => endedAsAsked(r) && isTowns(r.asked);
/** When its end was ordered, by the operator or the town; undefined = its agent asked for it, or its end is no order's. */
export const orderedAt = (asked: SessionRecord['asked']): WallMs | undefined => asked?.operatorAt ?? asked?.townAt;
/** An order ends the life that it has, or is about to have. */
export const isStopping = (r: SessionRecord): boolean =>
  isTaken(r) && orderedAt(r.asked) !== undefined && r.asked?.uuid === (r.pending ?? r.incarnation?.uuid);
/** The operator ordered its end, which goes on or is done: only the operator undoes that (C-13). */
export const isLatched = (r: SessionRecord): boolean =>
  r.asked?.operatorAt !== undefined && (isRetired(r) || isStopping(r));

/** The answer to a caller; none without one. */
export const replies = (rpc: string | null, body: Reply): readonly Order[] => (rpc === null ? [] : [reply(rpc, body)]);
export const refusal = (code: string, text: string, exit: 1 | 2 | 3 | 5 = 1): Reply => ({
  ok: false,
  exit,
  code,
  text,
});
/** A session as a caller sees it. */
export const viewOf = (r: SessionRecord): object => ({
  name: r.spec.name,
  state: r.state,
  uuid: r.incarnation?.uuid ?? null,
  pid: r.incarnation?.agent.pid ?? null,
});

/** What a death notice names: the pane of one server. */
export const paneKey = (server: number, paneId: string): string => `${server}/${paneId}`;

/** How many more starts may be ordered. An order is out until its outcome comes. */
export function startsLeft({ records, live, policy }: Pick<SessionsState, 'records' | 'live' | 'policy'>): number {
  let left = policy.maxStarting;
  for (const name in live) if (live[name]?.dueAt === null && records[name]?.state === 'starting') left -= 1;
  return left;
}

/** The earliest instant at which there is something to do. A start that waits its turn is woken by the outcome of another. */
export function wakeOf(
  book: Pick<SessionsState, 'records' | 'live' | 'policy' | 'nextScanAt' | 'remainsAt'>,
): Instant | null {
  const { live, nextScanAt, remainsAt } = book;
  let at: Instant = Math.min(nextScanAt ?? Infinity, remainsAt ?? Infinity);
  if (startsLeft(book) > 0) for (const { dueAt } of Object.values(live)) if (dueAt !== null && dueAt < at) at = dueAt;
  return at === Infinity ? null : at;
}
