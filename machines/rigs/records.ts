/** What is on record of a rig and of a polecat, and how far one came. */
import type { PolecatName } from './names.ts';

/** Where a rig's work is fetched from and pushed to, its addresses as git uses them: `pushurl` and `insteadOf` are in them. */
export interface RigRemote {
  readonly name: string;
  readonly url: string;
  readonly pushUrl: string;
}

export interface RigRecord {
  readonly name: string;
  /** The repository as it was given, absolute. */
  readonly repo: string;
  /** The folder that all worktrees of the repository share. */
  readonly commonDir: string;
  /** What its polecats run; null = each start says it. */
  readonly agent: readonly string[] | null;
  /** The main branch that a person named; null = the one that the remote calls its own. */
  readonly base: string | null;
  /** As it was when the rig was added; null = it had none, absent = a record of an older town, which the next work on the rig completes. */
  readonly remote?: RigRemote | null;
  /** Wall ms. */
  readonly addedAt: number;
}

/**
 * What is done, written before the next is begun. Up: `intended` (nothing need be there yet), `placed` (worktree and branch are
 * whole), `hooked` (so is its bead), `running` (its session was started), `left`
 * (its agent has ended; its worktree waits as it is for the next one at the same work). Down: `leaving` (its folder goes aside to be looked at
 * once more), `going` (all in it was proved to be elsewhere; it is being taken away).
 */
export const STEPS = ['intended', 'placed', 'hooked', 'running', 'left', 'leaving', 'going'] as const;
export type Step = (typeof STEPS)[number];

export interface PolecatRecord extends PolecatName {
  /** Of this polecat; another one of the name has another. */
  readonly uuid: string;
  readonly step: Step;
  /** The commit that its branch began with. */
  readonly base: string;
  /** The rig's main branch, and the commit of it that its branch held when it began; null = a record of an older town. */
  readonly main: { readonly branch: string; readonly commit: string } | null;
  /** The commit of its branch when that was proved to be elsewhere; null = not proved, or the branch is kept. */
  readonly tip: string | null;
  readonly bead: string | null;
  readonly command: readonly string[];
  /** Wall ms. */
  readonly at: number;
}

/** Its making was begun and not ended: it is undone, or gone on with. */
export const isHalfMade = ({ step }: PolecatRecord): boolean => ['intended', 'placed', 'hooked'].includes(step);
/** Its agent has ended, and the next one at the same work goes on in its worktree. */
export const isLeft = ({ step }: PolecatRecord): boolean => step === 'left';
/** Its removal was begun and not ended. */
export const isHalfGone = ({ step }: PolecatRecord): boolean => ['leaving', 'going'].includes(step);
