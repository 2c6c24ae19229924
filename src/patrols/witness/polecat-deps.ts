/** What the acts of a cycle are given of the polecats on record. */
import { addressOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { ActDeps } from './acts.ts';
import type { Trees } from './trees.ts';

export function polecatDeps(
  polecats: readonly PolecatRecord[],
  trees: Pick<Trees, 'files' | 'keep' | 'lacks' | 'nuke'>,
): Pick<ActDeps, 'bornAt' | 'startedFor' | 'filesOf' | 'keepCommit' | 'lacks' | 'nuke'> {
  const recordOf = (agent: string): PolecatRecord | undefined => polecats.find((one) => addressOf(one) === agent);
  return {
    bornAt: (agent) => recordOf(agent)?.at ?? null,
    startedFor: (agent) => recordOf(agent)?.bead ?? null,
    filesOf: (agent) => {
      const record = recordOf(agent);
      return record === undefined ? Promise.resolve('') : trees.files(record);
    },
    keepCommit: trees.keep,
    lacks: async (agent, branch) => {
      const record = recordOf(agent);
      return record === undefined || trees.lacks(record, branch);
    },
    nuke: async (polecat, how) => {
      const record = polecats.find(({ name }) => name === polecat);
      if (record === undefined) throw new Error(`there is no polecat ${polecat} any more`);
      return trees.nuke(record, how);
    },
  };
}
