/**
 * Who plays: seven real programs of a few lines, the reason of its warrant, and the outcome that is the only right one.
 * Pure. The programs stand in agents/ and are shipped as they are.
 */

/** What has to become of a player. */
export type Expected =
  /** `why`: what the verdict has to rest on. */
  | { readonly kind: 'pardoned' | 'executed'; readonly why: RegExp }
  /** No warrant names it: it dies by itself and is started again. */
  | { readonly kind: 'restarted'; readonly why: RegExp };

export interface Player {
  /** Its session, and its program in agents/. */
  readonly name: string;
  /** What its program does, for the view. */
  readonly about: string;
  /** Whether it is given the town's command as arguments. */
  readonly callsTown: boolean;
  /** Whether its folder holds a git worktree with work that no commit has. */
  readonly hasWork: boolean;
  /** The reason of the warrant against it; null = there is none. */
  readonly reason: string | null;
  readonly expected: Expected;
}

const QUIET = { callsTown: false, hasWork: false } as const;

/** In the order in which they are started and get their warrants: first who has its verdict at once, then those that are heard longest. */
export const CAST: readonly Player[] = [
  {
    ...QUIET,
    name: 'claude',
    about: 'waits at a dialog; Enter would say yes',
    reason: 'stands still',
    expected: { kind: 'pardoned', why: /^blocked on a person/ },
  },
  {
    ...QUIET,
    name: 'deaf',
    about: 'hangs; its terminal echoes the question',
    hasWork: true,
    reason: 'no word for an hour',
    expected: { kind: 'executed', why: /^silent through 3 questions$/ },
  },
  {
    ...QUIET,
    name: 'stubborn',
    about: 'hangs; it and its children ignore HUP and TERM',
    hasWork: true,
    reason: 'holds a lock and says nothing',
    expected: { kind: 'executed', why: /^silent through 3 questions$/ },
  },
  {
    ...QUIET,
    name: 'builder',
    about: 'busy: reads nothing, prints lines',
    reason: 'does not answer its mail',
    expected: { kind: 'pardoned', why: /^signs of life: a new line: compiled module \d+/ },
  },
  {
    ...QUIET,
    name: 'listener',
    about: 'silent; answers with the code',
    reason: 'no output for an hour',
    expected: { kind: 'pardoned', why: /^answered: code/ },
  },
  {
    ...QUIET,
    name: 'caller',
    about: 'silent; answers by `town alive`',
    callsTown: true,
    reason: 'no output for an hour',
    expected: { kind: 'pardoned', why: /^answered: town alive/ },
  },
  {
    ...QUIET,
    name: 'phoenix',
    about: 'dies once with exit code 3',
    reason: null,
    expected: { kind: 'restarted', why: /^ended with exit code 3/ },
  },
];

/** Those whose hearings are open when the town is killed. */
export const LONGEST_HEARD: readonly string[] = CAST.filter(({ expected }) => expected.kind === 'executed').map(
  ({ name }) => name,
);
