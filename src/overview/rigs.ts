/** The rigs of a town at a glance, by their records alone: who works there on what, and the last round of who looks after them. */
import type { PolecatName } from '../../machines/rigs/names.ts';
import type { Step } from '../../machines/rigs/records.ts';
import type { PatrolRecord } from '../../machines/protocol/patrols.ts';
import { NotReadable, type Disk } from '../../state/files/disk.ts';
import type { Quarantine } from '../../state/files/quarantine.ts';
import { eachOf } from '../../state/files/record-folder.ts';
import { readPatrols } from '../../state/patrols/records.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { OVERVIEW } from './policy.ts';

/** Fields of the record that are the patrol's own memory, and its name. */
type Own = 'of' | 'tried' | 'letters' | 'memory' | 'stands' | 'claims';
/**
 * The last cycle of a patrol. `observed`: how much of each kind there was: polecats, beads of work, convoys, open
 * triage. `stranded`: beads that no agent will do, as things stand.
 */
export type RoundView = Omit<PatrolRecord, 'endedAt' | Own> & {
  /** ISO. */
  readonly ended_at: string;
};

export interface PullRequestView {
  readonly bead: string;
  readonly title: string;
  readonly branch: string;
  readonly url: string | null;
  /** ISO. */
  readonly opened_at: string;
}

export interface RigView {
  readonly name: string;
  /** The first by name, at most `OVERVIEW.polecats`. */
  readonly polecats: readonly {
    readonly name: string;
    readonly bead: string | null;
    readonly step: Step;
    /** Of its bead; absent = there is none, or the ledger was not asked. */
    readonly title?: string;
  }[];
  /** How many are on record; absent where an older town tells. */
  readonly polecat_count?: number;
  /** null = not patrolled yet. */
  readonly patrol: RoundView | null;
  /** Those that wait for their merge on the host; absent = there is none, or the ledger was not asked. */
  readonly pull_requests?: readonly PullRequestView[];
}

/** `model_calls`: runs of a reasoner that the last round began, the town's or an agent's. No table of the patrols asks a model. */
export interface RigsView {
  readonly rigs: readonly RigView[];
  readonly deacon: RoundView | null;
  readonly model_calls: number;
  /** Rounds of the Deacon's, also of one that is an agent, those among them that needed a decision, and their share; null = there was none. */
  readonly cycles: number;
  readonly triage_cycles: number;
  readonly triage_share: number | null;
}

function roundOf({ endedAt, cycle, why, failures, observed, done, undone, stranded }: PatrolRecord): RoundView {
  return { cycle, why, failures, observed, done, undone, stranded, ended_at: new Date(endedAt).toISOString() };
}

/** null = its record is gone or invalid: the patrol names such a one. */
async function workerIn(records: RigRecords, name: PolecatName): Promise<RigView['polecats'][number] | null> {
  const record = await records.polecat(name).catch((error: unknown) => {
    if (error instanceof NotReadable) return null;
    throw error;
  });
  return record && { name: record.name, bead: record.bead, step: record.step };
}

/** null = there is no rig to patrol. */
export async function rigsView(files: { disk: Disk; quarantine: Quarantine }): Promise<RigsView | null> {
  const records = new RigRecords({ disk: files.disk });
  const { found } = await records.rigs();
  const rounds = await readPatrols({ ...files });
  if (found.length === 0 && rounds.length === 0) return null;
  const round = (name: string): RoundView | null => {
    const record = rounds.find(({ of }) => of === name);
    return record === undefined ? null : roundOf(record);
  };
  const polecats = Map.groupBy(await records.polecatNames(), ({ rig }) => rig);
  const rigs: RigView[] = [];
  for (const { name } of found) {
    const own = polecats.get(name) ?? [];
    const shown = await eachOf(own.slice(0, OVERVIEW.polecats), (one) => workerIn(records, one));
    rigs.push({ name, polecats: shown, polecat_count: own.length, patrol: round(name) });
  }
  const deacon = round('deacon');
  const seen = deacon?.observed ?? {};
  const { model_calls = 0, cycles = 0, triage_cycles = 0 } = seen;
  const triage_share = cycles === 0 ? null : triage_cycles / cycles;
  return { rigs, deacon, model_calls, cycles, triage_cycles, triage_share };
}
