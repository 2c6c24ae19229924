/** What a rig's polecats run, how many there may be, and what merges their work: `[rig.<name>]` goes before what was said when it was added. */
import { RIGS } from '../../machines/rigs/policy.ts';
import type { Ms } from '../../machines/protocol.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { RigSettings, Settings } from '../config/settings.ts';

export interface Choices {
  /** null = each start says it. */
  readonly agent: readonly string[] | null;
  /** The command that merges its branches; null = the town starts none. */
  readonly refinery: readonly string[] | null;
  readonly maxPolecats: number;
  /** What work must pass before it counts as done; null = nothing. */
  readonly doneCheck: { readonly command: readonly string[]; readonly limitMs: Ms } | null;
  /** How `town refinery` merges. */
  readonly merging: Merging;
}

export interface Merging {
  readonly way: 'merge' | 'squash' | 'rebase' | 'pull-request';
  /** What each merge must pass; null = nothing. */
  readonly test: readonly string[] | null;
  readonly testLimitMs: Ms;
  /** Opens a pull request; null = there is none. */
  readonly pullRequest: readonly string[] | null;
  /** Whether a merged branch, and what earlier attempts left of it, is deleted on the remote. */
  readonly deletesBranch: boolean;
}

export function choicesOf({ rigs }: Pick<Settings, 'rigs'>, rig: Pick<RigRecord, 'name' | 'agent'>): Choices {
  const table = Object.hasOwn(rigs, rig.name) ? rigs[rig.name] : undefined;
  const merging = mergingOf(table);
  return {
    doneCheck: table?.done_check ? { command: table.done_check, limitMs: merging.testLimitMs } : null,
    agent: table?.agent ?? rig.agent,
    refinery: table?.refinery ?? null,
    maxPolecats: table?.max_polecats ?? RIGS.maxPolecats,
    merging,
  };
}

const mergingOf = (table: RigSettings | undefined): Merging => ({
  way: table?.merge ?? RIGS.merge,
  test: table?.test ?? null,
  testLimitMs: table?.test_limit ?? RIGS.testLimitMs,
  pullRequest: table?.pull_request ?? null,
  deletesBranch: table?.delete_branch ?? RIGS.deletesBranch,
});
