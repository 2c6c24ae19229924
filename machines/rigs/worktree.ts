/**
 * What may be done with a worktree, by what a look at it found: one table, a row for each state. What is not known bars
 * everything. A row's words are whole sentences without their subject: `has 2 commits that are on no remote`.
 */
import { times } from '../kernel/span.ts';

/** What git is in the middle of. */
export const OPERATIONS = ['rebase', 'am', 'merge', 'cherry-pick', 'revert', 'bisect'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** One look. Lists hold names and subjects as people read them. */
export interface WorktreeFacts {
  /**
   * `missing`: there is no such folder; `bare`: a repository without a worktree; `wrong`: no worktree, or another
   * one's;
   * `foreign`: it belongs to another user; `unknown`: the look was not answered in time.
   */
  readonly place: 'there' | 'missing' | 'bare' | 'wrong' | 'foreign' | 'unknown';
  /** Says more of a place that is not `there`; else empty. */
  readonly why: string;
  /** null = detached, or not told. */
  readonly branch: string | null;
  /** The commit; null = none yet, or not told. */
  readonly head: string | null;
  /** Tracked files that differ, in the stage or in the worktree. */
  readonly changed: readonly string[];
  /** Tracked files of which nothing is left, in the stage or in the worktree. */
  readonly deleted: readonly string[];
  readonly untracked: readonly string[];
  /** Changed files that a flag of the index hides from `git status`; only a whole look sees them. */
  readonly hidden: readonly string[];
  /** Files and folders that are ignored; only a whole look lists them. They bar nothing. */
  readonly ignored: readonly string[];
  /** Stashes made on its branch. */
  readonly stashes: readonly string[];
  /** Commits of its own that are on no remote-tracking ref, the newest first. */
  readonly unpushed: readonly string[];
  /** A commit of main that its branch holds and main does not any more, since a forced push; null = there is none, or it is unknown. */
  readonly dropped: string | null;
  readonly operation: Operation | null;
  /** Submodules that were looked into: what is in one of them goes with the worktree. */
  readonly submodules: readonly { readonly path: string; readonly facts: WorktreeFacts }[];
  /** Other repositories and worktrees that lie inside. */
  readonly nested: readonly string[];
  readonly sparse: boolean;
  /** A git process writes to its index now, or died while it did. */
  readonly indexLocked: boolean;
  /** Why its rig's remote is not the one on record, so that nothing counts as pushed; null = it is, or was not compared. */
  readonly otherRemote: string | null;
  /** `git worktree lock`: why, in its owner's words; null = it is not locked. */
  readonly locked: string | null;
}

export const NOTHING_SEEN: WorktreeFacts = {
  place: 'unknown',
  why: '',
  branch: null,
  head: null,
  operation: null,
  sparse: false,
  indexLocked: false,
  locked: null,
  changed: [],
  deleted: [],
  untracked: [],
  hidden: [],
  ignored: [],
  stashes: [],
  unpushed: [],
  submodules: [],
  nested: [],
  dropped: null,
  otherRemote: null,
};

/** `never` bars nothing, `push` is mended by a push of its branch, `always` by its owner alone. */
type Bars = 'always' | 'push' | 'never';

interface Row {
  readonly state: string;
  readonly bars: Bars;
  /** null = it is not in this state. */
  readonly says: (facts: WorktreeFacts) => string | null;
}

const some = (count: number, what: string): string[] => (count === 0 ? [] : [times(count, what)]);
const at = (place: WorktreeFacts['place'], text: string): Row['says'] => {
  return (facts) => (facts.place === place ? (facts.why === '' ? text : facts.why) : null);
};

/** What would be lost of a submodule, or is unknown. */
function lostIn({ submodules }: WorktreeFacts): string | null {
  const lost = submodules.flatMap(({ path, facts }) =>
    // One that is not checked out has commits only.
    barriersOf(facts).map(({ says }) => `${path} ${says}`),
  );
  return lost.length === 0 ? null : `has work in its submodules: ${lost.join('; ')}`;
}

/** How its files differ from its commit, as words for "it …"; null = they do not. */
export function dirtIn({ changed, deleted, untracked, hidden }: WorktreeFacts): string | null {
  const parts = [
    ...some(changed.length, 'changed file'),
    ...some(deleted.length, 'deleted file'),
    ...some(untracked.length, 'untracked file'),
    ...some(hidden.length, 'changed file').map((text) => `${text} that the index hides`),
  ];
  return parts.length === 0 ? null : `has ${parts.join(' and ')}`;
}

const ROWS: readonly Row[] = [
  { state: 'unknown', bars: 'always', says: at('unknown', 'could not be looked at') },
  { state: 'foreign-owner', bars: 'always', says: at('foreign', 'belongs to another user') },
  { state: 'wrong-directory', bars: 'always', says: at('wrong', 'is no worktree of this repository') },
  { state: 'bare', bars: 'always', says: at('bare', 'is a bare repository, which has no worktree') },
  { state: 'missing', bars: 'never', says: at('missing', 'is not there') },
  ...OPERATIONS.map((operation) => ({
    state: `mid-${operation}`,
    bars: 'always' as const,
    says: (facts: WorktreeFacts) => (facts.operation === operation ? `is in the middle of a ${operation}` : null),
  })),
  { state: 'dirty', bars: 'always', says: dirtIn },
  {
    state: 'stashed',
    bars: 'always',
    says: ({ stashes }) => (stashes.length === 0 ? null : `has work stashed on its branch: ${stashes.join(', ')}`),
  },
  {
    state: 'unpushed',
    bars: 'push',
    says: ({ unpushed: { length } }) =>
      length === 0 ? null : `has ${times(length, 'commit that is', 'commits that are')} on no remote`,
  },
  {
    state: 'dropped',
    bars: 'always',
    says: ({ dropped }) =>
      dropped === null
        ? null
        : `holds ${dropped}, which a forced push took out of main: published, it would bring that back; move its own commits: git rebase --onto <main> ${dropped}`,
  },
  {
    state: 'other-remote',
    bars: 'always',
    says: ({ otherRemote }) => (otherRemote === null ? null : `counts as pushed nowhere: ${otherRemote}`),
  },
  { state: 'submodule', bars: 'always', says: lostIn },
  {
    state: 'nested',
    bars: 'always',
    says: ({ nested }) => (nested.length === 0 ? null : `holds other repositories or worktrees: ${nested.join(', ')}`),
  },
  {
    state: 'index-locked',
    bars: 'always',
    says: ({ indexLocked }) => (indexLocked ? 'has its index locked: a git works there, or died there' : null),
  },
  {
    state: 'locked',
    bars: 'always',
    says: ({ locked }) => (locked === null ? null : `is locked by \`git worktree lock\`${locked && ` (${locked})`}`),
  },
  {
    state: 'detached',
    bars: 'never',
    says: ({ place, branch, head }) => (place === 'there' && branch === null && head !== null ? 'is detached' : null),
  },
  { state: 'sparse', bars: 'never', says: ({ sparse }) => (sparse ? 'is sparse' : null) },
];

/** What stands against the removal of a worktree. */
export interface Barrier {
  readonly state: string;
  readonly says: string;
  /** Whether a push of its branch mends it. */
  readonly pushed: boolean;
}

export function barriersOf(facts: WorktreeFacts): Barrier[] {
  return ROWS.filter(({ bars }) => bars !== 'never').flatMap(({ state, bars, says }) => {
    const text = says(facts);
    return text === null ? [] : [{ state, says: text, pushed: bars === 'push' }];
  });
}

/** Its states, by name; `clean` where there is nothing to say. */
export function statesOf(facts: WorktreeFacts): string[] {
  const states = ROWS.filter(({ says }) => says(facts) !== null).map(({ state }) => state);
  const isClean = facts.place === 'there' && barriersOf(facts).length === 0;
  return isClean ? ['clean', ...states] : states;
}

/** `remove`: all that is in it is elsewhere too; `push`: it will be once its branch is pushed; `keep`: neither. */
export function mayOf(facts: WorktreeFacts): 'remove' | 'push' | 'keep' {
  const barriers = barriersOf(facts);
  if (barriers.length === 0) return 'remove';
  return barriers.every(({ pushed }) => pushed) ? 'push' : 'keep';
}
