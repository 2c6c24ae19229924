/** What the acts on polecats are given: where, the records, and the doors to the ledger, the sessions and the processes. */
import type { Bead } from '../../machines/ledger/bead.ts';
import type { PolecatRecord, RigRecord } from '../../machines/rigs/records.ts';
import type { RigRecords } from '../../state/rigs/records.ts';
import type { Answers } from '../git/answers.ts';
import type { LastBranch, WorkBranch } from '../../state/rigs/work.ts';

/** The ledger's part. An agent is an address: `<rig>/polecats/<name>`. Doing it again changes nothing. */
export interface Hooks {
  /** Throws `Failure` where there is no such bead. */
  bead(word: string): Promise<Bead>;
  /** Throws `Failure` where this bead cannot be hooked now: before anything is made. */
  check(bead: string): Promise<void>;
  hook(bead: string, agent: string): Promise<void>;
  /** What is not hooked by this agent is left. */
  unhook(bead: string, agent: string): Promise<void>;
  /** What this agent holds, the oldest first. */
  heldBy(agent: string): Promise<readonly Bead[]>;
  /** On which branch of the rig this work was begun last; null = on none. */
  lastBranch(rig: string, bead: string): Promise<LastBranch | null>;
  keepBranch(rig: string, bead: string, kept: WorkBranch): Promise<void>;
}

export interface Sessions {
  /** Starts it, if it does not run; a `Failure` means that it was refused, any other error that it may run. */
  start(record: PolecatRecord, dir: string): Promise<void>;
  /** `ended`: nothing of it runs, and it will not be started again. */
  standing(name: string): Promise<'none' | 'ended' | 'lives' | 'unknown'>;
  /** Takes an ended one off the record, where a town can be asked. */
  forget(name: string): Promise<void>;
}

export interface Yard {
  /** The town's, absolute. */
  readonly root: string;
  readonly records: RigRecords;
  readonly hooks: Hooks;
  readonly sessions: Sessions;
  /** Processes whose working folder is this one or below it, as `<pid> <program>`. Rejects when it is unknown. */
  readonly standingIn: (folder: string) => Promise<readonly string[]>;
  readonly wall: () => number;
  /** Something beside the result that a person should know. */
  readonly note: (text: string) => void;
}

/**
 * What each function of this folder takes first: the rig that it works on, and the yard, which is how it reaches everything
 * else. A polecat, where one is meant, is an argument of its own.
 */
export interface Case {
  readonly yard: Yard;
  readonly rig: RigRecord;
  /** Of a list: what git answered about this rig's repository already. */
  readonly answers?: Answers;
}
