/**
 * On which branch a piece of work was begun, and where the next attempt at it begins. The town keeps it as evidence of the rig's
 * witness, which only the town writes: a bead's own fields are text that its holder may change.
 */
import { z } from 'zod';
import type { Evidence } from '../../state/ledger/port.ts';
import { keptIn } from '../ledger/kept.ts';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);
const word = z.string().min(1).max(256);

const BEGAN = {
  branch: word,
  /** The commit that its own work began with. */
  base: commit,
  /** The commit of main that it holds; null = unknown. */
  main: commit.nullable(),
};
/** Saved work of an attempt, and of those before that it went on with. */
const START = z.strictObject({ ...BEGAN, commit });
const KEPT = z.strictObject({
  ...BEGAN,
  polecat: word,
  uuid: word,
  /** What was saved of an attempt: the next one begins with it. */
  start: START.nullable(),
});
export type WorkBranch = z.infer<typeof KEPT>;

/** Who remembers the branches of a bead, one entry or more for each polecat that began it. */
export const branchAuthor = (rig: string, bead: string): string => `${rig}/witness/branch/${bead}`;
/** null = it is none of the town's. */
export const begunIn = (entry: Pick<Evidence, 'text'>): WorkBranch | null => keptIn(entry, KEPT);

/** What the ledger does for it. */
export interface BranchMemory {
  readonly newest: (author: string) => Promise<Evidence | null>;
  readonly keep: (evidence: Evidence) => Promise<unknown>;
}

/** null = the town began nothing of it. */
export const lastBranch = async (memory: BranchMemory, rig: string, bead: string): Promise<WorkBranch | null> =>
  keptIn(await memory.newest(branchAuthor(rig, bead)), KEPT);

export async function keepBranch(
  memory: BranchMemory,
  { rig, bead, at }: { readonly rig: string; readonly bead: string; readonly at: number },
  kept: WorkBranch,
): Promise<void> {
  const author = branchAuthor(rig, bead);
  const id = `${author}-${kept.uuid}-${kept.branch}-${kept.start?.commit ?? 'begun'}`;
  await memory.keep({ id, author, kind: 'branch', text: JSON.stringify(kept), at });
}
