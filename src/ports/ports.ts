/**
 * One narrow interface per outside thing. Hands implement them; the loop and tests use them.
 * A probe has three answers: yes, no, unknown. Unknown is a value, never an exception and never "no" (law 1).
 */
import type {
  NamedProc,
  Incarnation,
  Instant,
  Ms,
  NewsBody,
  Order,
  OutcomeBody,
  Proc,
  Rescue,
  WallMs,
} from '../../machines/protocol.ts';

/** The town's clocks. `now` is monotonic and shares its base with other processes of one boot. */
export interface Clock {
  now(): Instant;
  wall(): WallMs;
  /** Resolves after `ms` or when `signal` aborts; never rejects. */
  sleep(ms: Ms, signal?: AbortSignal): Promise<void>;
}

/**
 * Performs one order. Resolves with the outcome's body; a rejection becomes ORDER_FAILED with the error's message.
 * Must be harmless when the same order is performed twice. `signal` aborts when the order's time limit is over.
 */
export type Perform<O extends Order = Order> = (order: O, signal: AbortSignal) => Promise<OutcomeBody>;
export type OrderOf<T extends Order['type']> = Extract<Order, { type: T }>;
/** The hands: one performer per order type. */
export type Hands = { readonly [T in Order['type']]: Perform<OrderOf<T>> };

/** Where hands put news. The loop stamps it. */
export type Announce = (news: NewsBody) => void;

/** What an agent and its descendants used so far. */
export interface Usage {
  /** CPU ms of each process, by `<pid> <started>`. */
  readonly cpu: ReadonlyMap<string, Ms>;
  /** In RAM now, of all of them. */
  readonly memoryBytes: number;
}

/** What an agent and its descendants take of the machine. */
export interface Load {
  readonly cpuMs: Ms;
  readonly memoryBytes: number;
}

/** What of an incarnation may be signalled, and what is left alone though its work may go on there (D-10). */
export interface Tree {
  readonly tree: Proc[];
  readonly excluded: NamedProc[];
}

/** Processes by pid and start time. */
export interface Processes {
  /** The live process with this pid; null = there is none (a zombie is none). Throws when it is unknown. */
  proc(pid: number): Proc | null;
  /** True while exactly this process lives. Throws when it is unknown (EMFILE, permission). */
  alive(proc: Proc): boolean;
  /**
   * Every process that belongs to an incarnation: descendants of `agent`, processes on the same tty, and those with the
   * incarnation's mark (TOWN_INCARNATION=<uuid>) in their environment; never our own group, never pid <= 1, never a daemon that
   * serves other agents too. Of what runs below such a daemon only tools that are proved to be of this incarnation.
   * `listed`: members that an earlier list named; their descendants are ours though the agent is gone.
   * Rejects with `SignalRefused` where `refusal` has a word.
   */
  treeOf(incarnation: Incarnation, tty: string | null, listed?: readonly Proc[]): Promise<Proc[]>;
  /** The same, and what was left. */
  familyOf(incarnation: Incarnation, tty: string | null, listed?: readonly Proc[]): Promise<Tree>;
  /** Why this town may never end this agent, as a sentence; null = it may, or the agent is gone. Throws when it is unknown. */
  refusal(incarnation: Incarnation): string | null;
  /** Verified right before the signal: false = it was gone. Never pid <= 1 or our own group. USR1 is for tmux servers. */
  signal(proc: Proc, signal: 'TERM' | 'KILL' | 'USR1' | 'HUP'): boolean;
  /** Of each of these agents, all from one pass; an agent that is gone uses nothing. */
  usageOf(agents: readonly Proc[]): Promise<Usage[]>;
}

/** Raised by `Tmux` calls. `unknown`: no answer, EMFILE, a limit. `none`: no server runs on the socket. `absent`: no tmux binary. */
export type TmuxFault = 'unknown' | 'none' | 'absent' | 'refused';

/** The one door to tmux. Foreign text never goes through `query`. */
export interface Tmux {
  /**
   * One tmux command made of our constants and `$n @n %n` ids only; over the control-mode client while it is up, else one-shot.
   * Resolves with the reply's lines; rejects with `TmuxError` (its `fault` tells which of the three cases it is).
   */
  query(command: readonly string[]): Promise<string[]>;
  /** A one-shot call by argument array, `input` on stdin. For everything that carries or returns foreign text. */
  call(args: readonly string[], input?: string): Promise<string>;
  /** The server that answers now; null = none runs (proved). Rejects when unknown. */
  server(): Promise<Proc | null>;
}

/** What was saved of a target before an execution. Rejects when saving failed: then nothing is destroyed (law 4). */
export interface Rescuer {
  /** `also`: processes whose folders are looked at beside those of the agent and of its session. */
  rescue(
    target: Incarnation,
    dance: string,
    scrollback: string,
    signal: AbortSignal,
    also?: readonly Proc[],
  ): Promise<Rescue>;
}
