/** What a bead remembers of its work: the branch, for a later report that it is merged, and its last handover. */
import type { Bead } from '../../machines/ledger/bead.ts';

const BRANCH = 'branch';
const COMMIT = 'branch_commit';

/** `tip`: its last commit; null = unknown. */
export const withBranch = (bead: Bead, branch: string, tip: string | null): Bead => ({
  ...bead,
  metadata: { ...bead.metadata, [BRANCH]: branch, ...(tip !== null && { [COMMIT]: tip }) },
});

/** Kept from agents (kept-words.ts). */
const HANDED = 'town.handed';

/** `uuid`: of the polecat's life whose work was handed to the refinery last. */
export const withHanded = (bead: Bead, uuid: string): Bead => ({
  ...bead,
  metadata: { ...bead.metadata, [HANDED]: uuid },
});

/** Whether it says which life handed it over: not where a person moved it. */
export const saysWhoHanded = ({ metadata }: Pick<Bead, 'metadata'>): boolean => HANDED in metadata;

/** `commit`: what was handed over; a town that wrote no life wrote that; null = unknown. */
export const knowsHanded = (
  { metadata }: Pick<Bead, 'metadata'>,
  { uuid, commit }: { readonly uuid: string; readonly commit: string | null },
): boolean => metadata[HANDED] === uuid || (commit !== null && metadata[COMMIT] === commit);

/**
 * It is being handed over, and `handed` (what is on record of that) is older: the bead is moved first, and a process may end between the two.
 */
export const isHandedAnew = (
  { metadata }: Pick<Bead, 'metadata'>,
  handed: readonly { readonly uuid: string }[],
): boolean => HANDED in metadata && handed.length > 0 && handed.every(({ uuid }) => uuid !== metadata[HANDED]);

export const branchOn = ({ metadata }: Pick<Bead, 'metadata'>): string | null => metadata[BRANCH] ?? null;
/** The last commit of its work; null = not known. */
export const commitOn = ({ metadata }: Pick<Bead, 'metadata'>): string | null => metadata[COMMIT] ?? null;
