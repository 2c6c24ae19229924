/**
 * What is said over the control socket. Requests: `status`, `overview`, `costs`, `inspector`, `request`, `stop`. Notifications to the
 * town: `wake`, `alive`. Types and names only.
 */
import type { CostRow } from '../costs/view.ts';
import type { Overview } from '../overview/overview.ts';
import type { ProcessPolicy } from '../ports/policy.ts';
import type { NewsBody, Reply, Request, WallMs, WorkerState } from '../../machines/protocol.ts';
import type { HealthView } from '../inspect/health.ts';

/** What bounds the callers of the socket. */
export type SocketLimits = Pick<
  ProcessPolicy,
  | 'maxHeaderBytes'
  | 'maxMessageBytes'
  | 'maxClients'
  | 'maxOpenRequests'
  | 'maxUnreadBytes'
  | 'silentMs'
  | 'wakeEveryMs'
  | 'complainEveryMs'
>;

export const METHODS = {
  status: 'status',
  overview: 'overview',
  costs: 'costs',
  inspector: 'inspector',
  request: 'request',
  stop: 'stop',
  wake: 'poke', // the name that towns of earlier versions know
  alive: 'alive',
} as const;

/** What a wake-up may name: the folder, or the things, that changed. */
export type WhatChanged = Extract<NewsBody, { type: 'CHANGED' }>['what'];

/** One actor of the running tree. */
export interface ActorView {
  /** Path in the tree: `town/watch/kennel/dog-3`. */
  readonly id: string;
  readonly state: string;
  readonly restarts: number;
}

/** The window of a question that is open now, as the town counts it. */
export interface WindowView {
  /** Id of the dance. */
  readonly dance: string;
  readonly attempt: number;
  /** ISO, if the town sees all the time until then. */
  readonly ends_at: string;
}

/** A session that is started again at a time that stands. */
export interface StartView {
  readonly session: string;
  /** ISO. */
  readonly at: string;
}

/** A worker as the monitor saw it last. */
export interface WorkerView {
  /** The uuid of its life. */
  readonly worker_id: string;
  readonly worker_name: string;
  readonly tags: readonly string[];
  readonly state: WorkerState;
  /** What it reported, else what the best source says of it. */
  readonly status: string;
  readonly message: string | null;
  /** It wants words, or a yes or no; an idle prompt wants neither. */
  readonly is_awaiting_input: boolean;
  readonly is_awaiting_confirmation: boolean;
  /** What told that, as `town explain` names it; null = no rule of a pack did. */
  readonly rule: string | null;
  readonly source: string | null;
  /** ISO. */
  readonly last_activity: string;
  readonly intervals_unchanged: number;
}

/** A timer of an operator (M-6). */
export interface TimerView {
  readonly name: string;
  readonly session: string;
  readonly interval_secs: number;
  /** Its beginning where it is long; it ends with `…` then. */
  readonly message: string;
  /** ISO. */
  readonly next_at: string;
  /** What came of it last, in words; null = it was not due yet since the town started. */
  readonly last: string | null;
}

/** Work that was sent to a session, and was not typed yet. */
export interface SendView {
  readonly id: string;
  readonly session: string;
  /** Its beginning where it is long; it ends with `…` then. */
  readonly text: string;
  /** ISO. */
  readonly sent_at: string;
  /** It is never typed, and stays until its sender cancels it; else it waits for its agent to rest. */
  readonly is_undone: boolean;
  /** Why it was not typed at the last try, or never is, in words; null = another piece comes before it, or it was not tried yet. */
  readonly waits: string | null;
}

/** The town as it sees itself; `town status --json` prints it as `status/1`. */
export interface StatusView extends EngineView {
  readonly running: true;
  readonly pid: number;
  /** null = no guard (`daemon run` by hand, or a new guard is on its way). */
  readonly guard_pid: number | null;
  /** Whether that guard cannot act: stopped, or waiting for a disk. Absent = a town of an older version. */
  readonly guard_held?: boolean;
  /** A service manager started it, and starts it again after a failure. Absent = a town of an older version. */
  readonly is_service?: boolean;
  readonly epoch: number;
  readonly version: string;
  readonly root: string;
  /** ISO time. */
  readonly started_at: string;
}

/** What of that its engine tells. */
export interface EngineView {
  /** tmux's socket, as configured. */
  readonly tmux_socket: string;
  /** False while records are read back. */
  readonly ready: boolean;
  /** `why` is null when it is not degraded. `by_disk`: its records are not on disk. Absent = a town of an older version. */
  readonly degraded: { readonly is: boolean; readonly why: string | null; readonly by_disk?: boolean };
  /** What became of programs that the town uses by their path, in words. Absent = a town of an older version. */
  readonly changes?: readonly string[];
  /** `waiting for disk`, or null. */
  readonly waiting: string | null;
  /** Port of the inspector on the loopback interface; null = closed. */
  readonly inspect_port: number | null;
  /** Whether steps and scans are on time and tmux answers; null = it is starting. */
  readonly health: HealthView | null;
  /** Dogs of the running pool, which a flag of its start may have set; null = it is starting. */
  readonly pool_size: number | null;
  readonly actors: readonly ActorView[];
  readonly windows: readonly WindowView[];
  /** Absent = a town of an older version. */
  readonly starts?: readonly StartView[];
  /** null = the monitor has not looked since the town began. Absent = a town of an older version. */
  readonly workers?: readonly WorkerView[] | null;
  /** null = their file cannot be read now. */
  readonly timers?: readonly TimerView[] | null;
  readonly sends?: readonly SendView[] | null;
  /** Steps of the tree since the start, and how long the longest took. */
  readonly steps: { readonly count: number; readonly longest_ms: number };
}

/** Part of the params of `inspector`, `request` and `stop`: the caller's TOWN_TOKEN; without it the operator calls (law 11). */
export interface TokenParams {
  readonly token?: string;
}
/** Params of `METHODS.wake`. */
export interface WakeParams {
  readonly what: WhatChanged;
}
/** Params of `costs`: what was taken before does not count. */
export interface CostsParams {
  /** ms; null = all counts. */
  readonly from: WallMs | null;
}
/** Params of `alive`; `uuid` is the caller's TOWN_INCARNATION, if it has one. */
export interface AliveParams {
  readonly code: string;
  readonly uuid: string | null;
}

/** What the town does with a caller's words. */
export interface SocketHandlers {
  status(): StatusView;
  /** Rejects when the disk cannot be read. */
  overview(): Promise<Overview>;
  /** What conversations took (M-12). Rejects when the records cannot be read. */
  costs(from: WallMs | null): Promise<readonly CostRow[]>;
  /** For the operator: the URL of the inspector's stream with its token, null when it is closed. Never rejects. */
  inspector(token: string | null): Promise<Reply>;
  /** Settles when the town gave the `reply` order for `rpc`; never rejects. */
  request(rpc: string, request: Request, token: string | null): Promise<Reply>;
  wake(what: WhatChanged): void;
  alive(code: string, uuid: string | null): void;
  /** Begins an orderly end; resolves with why it did not, or null. */
  stop(token: string | null): Promise<string | null>;
}
