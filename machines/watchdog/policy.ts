/** The numbers of the watchdog chain, with unit and reason. */
import type { Ms } from '../protocol.ts';

/** The watchdog chain: daemon, Boot, Deacon. */
export interface WatchdogPolicy {
  /** C-1: how often it is checked that what must run, runs. */
  readonly heartbeatMs: Ms;
  /** C-8: the second line behind Boot; off only to prove the chain. */
  readonly deaconCheck: boolean;
  /** C-8: the third line, by what tmux itself shows; off only to prove the chain. A person is told all the same. */
  readonly discovery: boolean;
  /** C-1: failures of one step in a row before a person is told; the step is tried on. */
  readonly stepFailures: number;
  /** C-8: ticks in a row without a Deacon session before a person is told; the chain brings it back within these. */
  readonly missingTicks: number;
  /** C-8: ticks in a row with a very stale heartbeat before a person is told: longer than Boot needs for its two wake-ups. */
  readonly silentTicks: number;
  readonly boot: BootPolicy;
  readonly deacon: DeaconPolicy;
  /** C-10: older lifecycle requests are ignored. */
  readonly lifecycleExpiresMs: Ms;
}

export interface BootPolicy {
  /** C-8: off only to prove the chain. */
  readonly enabled: boolean;
  /** C-2: a heartbeat this old is stale … */
  readonly staleMs: Ms;
  /** C-2: … and older than this, very stale. */
  readonly veryStaleMs: Ms;
  /** C-2: a Deacon just started is not judged. */
  readonly startGraceMs: Ms;
  /** C-2: how far ahead a Deacon may announce its next beat. */
  readonly maxAheadMs: Ms;
  /** C-2: an older mark of a running Boot is a dead one. */
  readonly runningTtlMs: Ms;
  /** C-2: Boot always ends. */
  readonly deadlineMs: Ms;
}

export interface DeaconPolicy {
  /** C-3: an actor costs no tokens; a session is an agent. */
  readonly mode: 'actor' | 'session';
  /** C-3: its session in session mode. */
  readonly session: string;
  /** C-3: what the session runs; null = nothing is configured. */
  readonly command: readonly string[] | null;
  /** C-4: it beats at least this often, whatever its patrol pace. */
  readonly beatMs: Ms;
  /** P-1: pace of its patrol while something is open … */
  readonly activeMs: Ms;
  /** P-1: … and when nothing is. */
  readonly idleMs: Ms;
  /** C-5: wake-ups without effect before a warrant. */
  readonly wakes: number;
  /** C-15: how long a health check waits for its answer. */
  readonly healthWaitMs: Ms;
  /** C-15: how often it looks for it meanwhile. */
  readonly healthLookEveryMs: Ms;
  /** C-15: failures in a row that recommend a warrant. */
  readonly healthFailures: number;
  /** C-11: cycles before a session hands off to a fresh one. */
  readonly handoffAfter: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const WATCHDOG: WatchdogPolicy = {
  heartbeatMs: 3 * MINUTE,
  deaconCheck: true,
  discovery: true,
  stepFailures: 3,
  missingTicks: 2,
  silentTicks: 6,
  boot: {
    enabled: true,
    staleMs: 5 * MINUTE,
    veryStaleMs: 15 * MINUTE,
    startGraceMs: 5 * MINUTE,
    maxAheadMs: 10 * MINUTE,
    runningTtlMs: 5 * MINUTE,
    deadlineMs: 1 * MINUTE,
  },
  deacon: {
    mode: 'actor',
    session: 'hq-deacon',
    command: null,
    beatMs: 60 * SECOND,
    activeMs: 15 * SECOND,
    idleMs: 5 * MINUTE,
    wakes: 2,
    healthWaitMs: 30 * SECOND,
    healthLookEveryMs: 1 * SECOND,
    healthFailures: 3,
    handoffAfter: 100,
  },
  lifecycleExpiresMs: 6 * HOUR,
};
