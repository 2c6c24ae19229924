/** What commands print with `--json`, as far as tests look at it. */

export interface Session {
  readonly name: string;
  readonly state: string;
  readonly alive: boolean | null;
  readonly pid: number;
  readonly uuid: string;
  readonly restart: string;
  readonly restarts: number;
  readonly in_tmux: boolean | null;
  readonly note: string;
}

export interface Status {
  readonly running: boolean;
  readonly ready: boolean;
  readonly answers: boolean;
  readonly silent_why: string | null;
  readonly degraded_why: string | null;
  readonly pid: number;
  readonly guard_pid: number | null;
  readonly epoch: number;
  readonly version: string | null;
  readonly inspect_port: number | null;
  readonly health: { readonly ages_ms: { readonly scan: number | null } } | null;
  readonly tmux_holder: {
    readonly root: string;
    readonly pid: number | null;
    readonly guard_pid: number | null;
  } | null;
  readonly actors: readonly { readonly id: string; readonly state: string }[];
  readonly sessions: readonly Session[];
  readonly alerts: readonly { readonly episode: string; readonly severity: string; readonly text: string }[];
  readonly mail: readonly { readonly id: string; readonly subject: string }[];
}

export interface Warrant {
  readonly id: string;
  readonly state: string;
  readonly verdict: string | null;
  readonly reason: string;
  readonly dance: string | null;
}
