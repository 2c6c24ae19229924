/** What a bead remembers of the branch that its work was done on, for whoever hears later that it is merged. */
import type { Bead } from '../../machines/ledger/bead.ts';

const BRANCH = 'branch';
const COMMIT = 'branch_commit';

/** `tip`: its last commit; null = nobody knows. */
export const withBranch = (bead: Bead, branch: string, tip: string | null): Bead => ({
  ...bead,
  metadata: { ...bead.metadata, [BRANCH]: branch, ...(tip !== null && { [COMMIT]: tip }) },
});
