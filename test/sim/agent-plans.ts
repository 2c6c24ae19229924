/** What a simulated agent is planned to do, and what is known of each of its lives. */
import type { Exit, Incarnation, Proc, RestartPolicy } from '../../machines/protocol.ts';
import type { Cause, Death } from './log.ts';

/** How one target behaves. All times are virtual milliseconds. */
export interface TargetPlan {
  readonly name: string;
  readonly origin: Incarnation['origin'];
  readonly restart: RestartPolicy;
  /** Answers the n-th question of a hearing so much later. */
  readonly answer: { readonly attempt: number; readonly afterMs: number; readonly by: 'file' | 'screen' } | null;
  readonly hindered: readonly { readonly cause: Cause; readonly from: number; readonly to: number }[];
  /** Shows signs of life without an answer, from then on. */
  readonly evidenceAt: number;
  /** Ends by itself; `again` = so does each of its next lives, so many of them, that long after their start. */
  readonly dies: {
    readonly at: number;
    readonly of: 'clean exit' | 'crash';
    readonly shown: boolean;
    readonly again: number;
    readonly afterMs: number;
  } | null;
  /** A person ends it and starts another agent under its name. */
  readonly replacedAt: number;
  readonly immortal: boolean;
  /** From then on the town may not end it, as one that runs below it; Infinity = it always may. */
  readonly untouchableAt: number;
  readonly trapsTerm: boolean;
  /** Answers its last question so long after a TERM that it survives; null = it does not. */
  readonly answersTerm: number | null;
  /** Processes it starts while it is being ended, one a signal. */
  readonly forks: number;
  /** Rescues that fail before one works. */
  readonly failingRescues: number;
  /** Share of its orders that end in an error, and of those that take seconds. */
  readonly failing: number;
  readonly slow: number;
  /** Whether it uses the account that the sessions of a history share. */
  readonly shares: boolean;
}

/** One that hears every question, never answers, and ends when it is told to. */
export const DEAF: Omit<TargetPlan, 'name'> = {
  origin: 'started',
  restart: 'transient',
  answer: null,
  hindered: [],
  evidenceAt: Infinity,
  dies: null,
  replacedAt: Infinity,
  immortal: false,
  untouchableAt: Infinity,
  trapsTerm: false,
  forks: 0,
  failingRescues: 0,
  failing: 0,
  slow: 0,
  answersTerm: null,
  shares: false,
};

/** When the login of the shared account dies, and when a person logs in again. */
export interface Login {
  readonly deadAt: number;
  readonly backAt: number;
}

export interface Life {
  readonly uuid: string;
  readonly session: Session;
  readonly incarnation: Incarnation;
  /** `pid started` of all that live. */
  readonly procs: Set<string>;
  alive: boolean;
  /** Its pane stands, with the exit readable if it is dead. */
  pane: boolean;
  exit: Exit | null;
  /** Questions typed to it, by hearing. */
  readonly codes: Map<string, string[]>;
  /** Codes it answered on its screen. */
  readonly said: Set<string>;
  forked: number;
  /** The login that it read at its start, or that a person gave it. */
  login: string;
  /** It shows no sign of life. */
  isHung: boolean;
  /** When something was last typed to it besides questions. */
  typedAt: number;
}
/** How each next life of a session ends, so long after its start; `times` = so many of them. */
export interface Fate {
  readonly of: Death;
  readonly shown: boolean;
  readonly afterMs: number;
  times: number;
}
export interface Session {
  plan: TargetPlan;
  readonly lives: Life[];
  fate: Fate | null;
  /** Whose pane has the name. */
  current: Life | null;
}
export const keyOf = ({ pid, started }: Proc): string => `${pid} ${started}`;
export const procOf = (key: string): Proc => {
  const [pid = '', started = ''] = key.split(' ');
  return { pid: Number(pid), started };
};
