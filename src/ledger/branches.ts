/** What a bead remembers of its work's branch, for a later report that it is merged. */
import type { Bead } from '../../machines/ledger/bead.ts';

const BRANCH = 'branch';
const COMMIT = 'branch_commit';

/** `tip`: its last commit; null = unknown. */
export const withBranch = (bead: Bead, branch: string, tip: string | null): Bead => ({
  ...bead,
  metadata: { ...bead.metadata, [BRANCH]: branch, ...(tip !== null && { [COMMIT]: tip }) },
});
