/**
 * What the watchdog chain (daemon, Boot, Deacon) sees and remembers. Types only.
 * Records hold wall time: they are evidence for people and for another process. A decision compares ages, which the hands measure.
 */
import type { Incarnation, Ms, Proc, WallMs } from './identity.ts';
import type { MonitorRecord, Timer } from './monitor.ts';
import type { SendsNote } from './sends.ts';
import type { TickleRecord } from './tickle.ts';

/** deacon/heartbeat.json. */
export interface Beat {
  readonly at: WallMs;
  readonly cycle: number;
  readonly lastAction: string;
  readonly healthy: number;
  readonly unhealthy: number;
  /** Before this the Deacon is not late; null = it announced nothing. */
  readonly nextDueAt: WallMs | null;
  /** The life that beats (law 3): a session's uuid, or the town's process for an actor; null = a file of another program. */
  readonly incarnation: string | null;
}

export const PANE_MOODS = ['blocked', 'busy', 'idle', 'unreadable', 'none'] as const;
/** none: there is no pane to look at (an actor, or no tmux). */
export type PaneMood = (typeof PANE_MOODS)[number];

/** What Boot observes of the Deacon (C-2). */
export interface DeaconSeen {
  readonly alive: 'yes' | 'no' | 'unknown';
  /** `dueInMs`: until its announced next beat, negative when that is over; null = none announced. */
  readonly heartbeat: { readonly ageMs: Ms; readonly mine: boolean; readonly dueInMs: Ms | null } | null;
  /** Unread messages for it; null = its mailbox could not be read. */
  readonly mail: number | null;
  readonly pane: PaneMood;
  /** The words that led to `blocked` or `busy`. */
  readonly what: string;
  readonly paused: boolean;
  /** A hearing of this life is open. */
  readonly isHeard: boolean;
  /** It ended as it asked, or as the operator ordered. */
  readonly retired: boolean;
  /** null = it is not known when it began. */
  readonly startedMsAgo: Ms | null;
  /** The life that was looked at; null = an actor, or none. */
  readonly life: Incarnation | null;
}

export const BOOT_ACTIONS = ['START', 'WAKE', 'NUDGE', 'WARRANT', 'RESTART', 'NOTHING'] as const;
/** RESTART: an actor that does not beat crashes, and its supervisor starts it again. */
export type BootAction = (typeof BOOT_ACTIONS)[number];

/** What Boot remembers of one life between two triages. */
export interface BootMemory {
  readonly uuid: string | null;
  /** Wake-ups that got through without effect. */
  readonly wakes: number;
  /** One wake-up was spared because the Deacon was busy. */
  readonly spared: boolean;
  /** Wake-ups and nudges in a row that could not be typed. */
  readonly undelivered: number;
}

/** deacon/dogs/boot/.boot-status.json. */
export interface BootStatus {
  readonly at: WallMs;
  readonly action: BootAction;
  readonly reason: string;
  readonly heartbeatAgeMs: Ms | null;
  /** Who was judged: a session's name, or `actor`. */
  readonly session: string;
  /** What came of the action, in words. */
  readonly result: string;
  readonly memory: BootMemory;
}

/** One agent in deacon/health-check-state.json (C-15). */
export interface HealthCheck {
  readonly uuid: string;
  readonly lastPingAt: WallMs | null;
  readonly lastAnswerAt: WallMs | null;
  /** Failures in a row. */
  readonly failures: number;
  /** The code of the question that waits for its answer; null = none does. */
  readonly code: string | null;
  /** What came of the last one, in words. */
  readonly result: string;
}

/** daemon/server-deaths.json: deaths of the tmux server (C-9). */
export interface ServerDeaths {
  /** The one that died last. */
  readonly server: Proc;
  /** Deaths in a row without a stable spell. */
  readonly streak: number;
  /** How long ago each was that counts, in observed town time. */
  readonly agesMs: readonly Ms[];
  /** They were too many; a person is told. */
  readonly looping: boolean;
}

/** The small files of the chain and of what it watches, by their name in `FILES` of the layout. */
export interface Notes {
  readonly heartbeat: Beat;
  readonly bootRunning: { readonly at: WallMs };
  readonly bootStatus: BootStatus;
  readonly healthChecks: Readonly<Record<string, HealthCheck>>;
  readonly serverDeaths: ServerDeaths;
  readonly monitor: MonitorRecord;
  readonly timers: { readonly timers: readonly Timer[] };
  readonly sends: SendsNote;
  readonly tickle: TickleRecord;
}
/** A small file that a step changed; null = it is removed. */
export type NoteRecord = {
  [K in keyof Notes]: { readonly kind: 'note'; readonly id: K; readonly value: Notes[K] | null };
}[keyof Notes];

/** null = there is none that counts. */
export type NoteRead = {
  [K in keyof Notes]: { readonly type: 'NOTE_READ'; readonly note: K; readonly value: Notes[K] | null };
}[keyof Notes];

/** A session on record: its name, and how its agent is written as a sender (`shop/polecats/nux`, else the name). */
export interface KnownSession {
  readonly name: string;
  readonly address: string;
}

/** A message in the Deacon's mailbox, and who its sender is now. */
export interface Letter {
  readonly id: string;
  readonly from: string;
  readonly via: 'operator' | 'agent' | 'town';
  readonly subject: string;
  readonly body: string;
  readonly sentAt: WallMs;
  /** The life that wrote it; null = it does not say. */
  readonly writtenBy: string | null;
  /** The present life of the session that `from` names; null = it names none, or one that does not live. */
  readonly sender: { readonly session: string; readonly uuid: string } | null;
}

/** What tmux shows under a name, asked directly; a record only keeps it from being started. */
export interface Discovered {
  readonly name: string;
  /** foreign: a session of another owner has the name. */
  readonly life: 'alive' | 'dead' | 'absent' | 'foreign' | 'unknown';
  readonly uuid: string | null;
  /** Its record says that it ended as it asked, or as the operator ordered; absent = no record says so. */
  readonly retired?: boolean;
}
