/** A yard on this machine: its sessions by a client of the town, its work behind a ledger. */
import { realpath } from 'node:fs/promises';
import type { RigRecords } from '../../state/rigs/records.ts';
import { standingIn } from '../proc/processes.ts';
import { hooksOf, type Beads } from './hooks.ts';
import { sessionsBehind, type TownClient } from './sessions.ts';
import type { Yard } from './yard.ts';

export interface YardNeeds {
  /** The town's. */
  readonly root: string;
  readonly records: RigRecords;
  readonly beads: Beads;
  readonly client: TownClient;
  readonly note: (text: string) => void;
}

export async function yardBehind({ root, records, beads, client, note }: YardNeeds): Promise<Yard> {
  return {
    root: await realpath(root),
    records,
    hooks: hooksOf(beads),
    sessions: sessionsBehind(client),
    standingIn: async (folder) => {
      const inside = await standingIn(await realpath(folder).catch(() => folder));
      return inside.map(({ pid, comm }) => `pid ${pid} (${comm})`);
    },
    wall: () => Date.now(),
    note,
  };
}
