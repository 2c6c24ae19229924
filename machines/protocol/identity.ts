/** The ground of the protocol: times, processes, and one life of one agent; everything else speaks in them. */

/** Milliseconds on the town's monotonic clock. */
export type Instant = number;
/** A duration in milliseconds. */
export type Ms = number;
/** Milliseconds since 1970 on the wall clock. */
export type WallMs = number;

/** When a fact reached the town. Every fact carries it, so that no machine needs a clock. */
export interface Stamp {
  readonly at: Instant;
  readonly wall: WallMs;
}

/** A process that cannot be mistaken for a later one with its pid: `started` joins its start time and the boot's id. */
export interface Proc {
  readonly pid: number;
  readonly started: string;
}
/** null = there is none. */
export const isSameProc = (one: Proc | null, other: Proc): boolean =>
  one?.pid === other.pid && one.started === other.started;

/** One life of one agent (law 3). A warrant, a message or a counter of another life is void. */
export interface Incarnation {
  /** Given at start or adoption. */
  readonly uuid: string;
  /** The session's name, for people and for `=name`. */
  readonly session: string;
  /** The tmux server; of a `detached` life, which has none, the agent itself: what its life hangs on. */
  readonly server: Proc;
  /** tmux's `$n`; empty when detached. */
  readonly sessionId: string;
  /** tmux's `%n`; the target is this pane. Empty when detached. */
  readonly paneId: string;
  /** The agent's own process: the pane's command where the town started it, the named process where it was adopted. */
  readonly agent: Proc;
  /**
   * What the town may do with the pane when the agent is gone: an adopted pane is a person's shell and is left alone.
   * detached: started without tmux (C-7); there is no pane to look at, to type into or to clear.
   */
  readonly origin: 'started' | 'adopted' | 'detached';
}

/** A process in which work of an agent may go on without it. */
export interface NamedProc extends Proc {
  /** What people call its program. */
  readonly program: string;
}
