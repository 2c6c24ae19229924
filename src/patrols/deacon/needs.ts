/** What the Deacon's round over the whole town is given; each step takes of it what it needs. */
import type { StepStands, Wanted } from '../../../machines/protocol/patrols.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { RigRecords } from '../../../state/rigs/records.ts';
import type { Settings } from '../../config/settings.ts';
import type { SessionView } from '../../overview/sessions.ts';
import type { ProcessTable } from '../../proc/processes.ts';
import type { TownClient, Standing } from '../../rigs/sessions.ts';
import type { Doing } from '../memory/digest.ts';
import type { TownAct } from '../memory/outcome.ts';

export interface TownNeeds {
  readonly ledger: Ledger;
  readonly disk: Disk;
  /** Absolute. */
  readonly root: string;
  readonly settings: Pick<
    Settings,
    'notify' | 'channels' | 'process' | 'patrols' | 'rigs' | 'policy' | 'town' | 'triage'
  >;
  readonly note: (text: string) => void;
  readonly records: Pick<RigRecords, 'polecat' | 'polecats' | 'rigs'>;
  readonly sessions: () => Promise<
    readonly Pick<SessionView, 'name' | 'state' | 'tags' | 'survivors' | 'uuid' | 'command'>[]
  >;
  /** How all sessions are, in one look. */
  readonly standings: () => Promise<(name: string) => Standing>;
  readonly processes: Pick<ProcessTable, 'carrying' | 'signal'>;
  readonly client: Pick<TownClient, 'ask'>;
}

/** `doing`: told before each act. `memory`: what the step kept in the cycle before. */
export type Acting = TownNeeds & { readonly doing: Doing; readonly memory: readonly string[] };

/** How much a step looked at, and what came of each act. */
export interface Found {
  readonly seen: number;
  readonly acts: readonly TownAct[];
  /** What else it counted. */
  readonly more?: Readonly<Record<string, number>>;
  /** The next cycle comes soon, whether or not it did anything. */
  readonly isActive?: boolean;
  /** What it keeps for the next cycle; absent = as before. */
  readonly memory?: readonly string[];
  /** What stands for a person now; absent = as before. */
  readonly stands?: StepStands;
  /** What is to be begun, each by an order of its own. */
  readonly wants?: readonly Wanted[];
}
