/**
 * The door to git. A repository is foreign ground: its settings may hide work and name programs.
 * 1. git never reads them: in place of the folder that holds them it is given one of ours (`own-common.ts`), no
 *    person's configuration counts, the environment is made anew, and nothing goes out to a network.
 * 2. The repository is the `.git` in `top` or the one that is named, never one found further up; `safe.directory` and
 *    `core.worktree` do not matter.
 * 3. What git warns of is not known: a call that prints a warning or an error has failed, even with exit code 0.
 * 4. Every call is bounded in time, and no more run at once than are of use.
 * 5. Output is latin1, one character a byte, because a file's name may be any bytes. Names go in by stdin, never as
 *    words.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HandsPolicy } from '../ports/policy.ts';
import { askedOnce, type Answers } from './answers.ts';
import { GitFailed } from './failure.ts';
import { pastLeftLocks } from './left-locks.ts';
import { takeNotes } from './new-worktree.ts';
import { withOwnCommon } from './own-common.ts';
import type { Ended, Start } from './start.ts';
import { inTurn, type Turn } from './turn.ts';
import { commonOf, gitDirOf } from './worktree.ts';
import { span } from '../../machines/kernel/span.ts';

export { GitFailed };

type Config = readonly (readonly [name: string, value: string])[];

export interface GitPlace {
  /** Folder that holds `.git`; git runs in it. */
  readonly top: string;
  /** The repository's folder where it is not the `.git` in `top`; without a worktree then, unless one is named. */
  readonly gitDir?: string;
  readonly workTree?: string;
  /** What its worktrees share, where that is known. */
  readonly commonDir?: string;
  readonly policy: Pick<HandsPolicy, 'gitMs'>;
  readonly signal: AbortSignal;
  /** The index to work on instead of the repository's own. */
  readonly index?: string;
  /** Where new objects go instead of into the repository. */
  readonly objects?: string;
  /** More configuration, outranking the repository's. */
  readonly config?: Config;
  /** Attributes that outrank those of each file in the repository. */
  readonly attributes?: string;
  /** No call writes. */
  readonly onlyReads?: boolean;
  /** Each call may make worktrees. */
  readonly addsWorktree?: boolean;
  /** Fetches what a call lacked in a partial clone, by the same words; absent = such a call fails. */
  readonly fetch?: (args: readonly string[], input: string) => Promise<unknown>;
  /** Where `find` keeps each answer, so that looks which share this ask a question of one place once. */
  readonly answers?: Answers;
}

export interface Git {
  /** Standard output; anything but exit 0 is a `GitFailed`. */
  run(args: readonly string[], input?: string): Promise<string>;
  /** Standard output without its last line break, or null where git exits with 1 to say "there is none". */
  find(args: readonly string[]): Promise<string | null>;
  /** Standard output of a command that says by exit 0 or 1 whether something is so. */
  answer(args: readonly string[]): Promise<{ readonly isSo: boolean; readonly text: string }>;
  /** As `run`; null = more than `most` bytes. */
  runAtMost(args: readonly string[], most: number, input?: string): Promise<string | null>;
}

const SAFE: Config = [
  // A cache that a repository brings along could say that nothing is there.
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.safecrlf', 'false'],
  ['core.warnAmbiguousRefs', 'false'],
  // For a git that this one starts in a submodule, which has settings of its own.
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  // A rescue that the next power cut takes away is none; by default git does not sync loose objects.
  ['core.fsync', 'committed,loose-object,reference'],
  ['core.fsyncMethod', 'batch'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** Words before those of each call. */
const BEFORE = ['--no-pager', '--no-optional-locks'];

export function gitAt(place: GitPlace): Git {
  const call = (args: readonly string[], input: string, maxBytes?: number) =>
    inTurn((turn) => start(turn, args, input, maxBytes));
  const start = async (turn: Turn, args: readonly string[], input: string, maxBytes?: number) => {
    const isBare = place.gitDir !== undefined && place.workTree === undefined;
    const { attributes, addsWorktree = false, onlyReads = false } = place;
    const commonDir = place.commonDir ?? (await commonDirOf(place));
    const of = {
      commonDir,
      isBare,
      hasRemotes: false,
      addsWorktree,
      onlyReads,
      ...(attributes !== undefined && { attributes }),
    };
    return withOwnCommon(of, async (own) => {
      const result = await withLacking(place, [args, input], () =>
        pastLeftLocks(commonDir, () => turn.start([...BEFORE, ...args], startOf(own, input, maxBytes))),
      );
      if (addsWorktree && !result.failed) await takeNotes(own, commonDir);
      return result;
    });
  };
  const startOf = (own: string, input: string, maxBytes?: number): Start => ({
    cwd: place.top,
    env: environment(place, own),
    input,
    limitMs: place.policy.gitMs,
    signal: place.signal,
    onlyReads: place.onlyReads ?? false,
    ...(maxBytes !== undefined && { maxBytes }),
  });
  const failed = (args: readonly string[], result: Ended): GitFailed => failureOf(place, args, result);
  const answer: Git['answer'] = async (args) => {
    const result = await call(args, '');
    if (WARNS.test(result.stderr) || (result.failed && result.exitCode !== 1)) throw failed(args, result);
    return { isSo: !result.failed, text: result.stdout };
  };
  const find: Git['find'] = (args) => answer(args).then(({ isSo, text }) => (isSo ? text.replace(/\n$/, '') : null));
  return {
    run: async (args, input = '') => {
      const result = await call(args, input);
      if (result.failed || WARNS.test(result.stderr)) throw failed(args, result);
      return result.stdout;
    },
    find: (args) => askedOnce(place.answers, [place.top, place.gitDir ?? '', ...args], () => find(args)),
    answer,
    runAtMost: async (args, most, input = '') => {
      const result = await call(args, input, most);
      if (result.isTooMuch) return null;
      if (result.failed || WARNS.test(result.stderr)) throw failed(args, result);
      return result.stdout;
    },
  };
}

/** Of a call that found no file to start: Node gives the same error for a missing program and a missing folder. */
export const absent = (top: string): GitFailed =>
  new GitFailed(
    existsSync(top) ? `there is no git to look at ${top}; install git` : `${top} is not there; put it back there`,
  );

function failureOf({ top, policy }: GitPlace, args: readonly string[], result: Ended): GitFailed {
  if (result.code === 'ENOENT') return absent(top);
  const said = result.isLate ? `took longer than ${span(policy.gitMs)}` : result.stderr.trim() || result.why;
  return new GitFailed(`in ${top} \`git ${args.join(' ')}\`: ${said}`);
}

/** As git begins the line, in the language that it is asked to speak: a folder it could not open, a ref it passed over. */
const WARNS = /^(warning|error|fatal): /m;

/** What git says of an object that is only at the remote, and that it was not allowed to fetch. */
const LACKS = /lazy fetching disabled|from promisor remote/;

async function withLacking<T extends { readonly stderr: string }>(
  { fetch }: Pick<GitPlace, 'fetch'>,
  words: readonly [args: readonly string[], input: string],
  execute: () => Promise<T>,
): Promise<T> {
  const result = await execute();
  if (fetch === undefined || !LACKS.test(result.stderr)) return result;
  await fetch(...words);
  return execute();
}

/** The folder that the worktrees of the repository share. */
async function commonDirOf({ top, gitDir }: Pick<GitPlace, 'top' | 'gitDir'>): Promise<string> {
  const own = gitDir ?? (await gitDirOf(join(top, '.git'))) ?? join(top, '.git');
  return commonOf(own);
}

/** Bytes as latin1 to text. A name that is not UTF-8 cannot be a word of a command or a path of Node: an error names it. */
export function utf8(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  if (Buffer.from(text, 'utf8').toString('latin1') !== bytes)
    throw new GitFailed(`the name ${JSON.stringify(text)} is not UTF-8; rename it, so that it can be saved`);
  return text;
}

/** Where the repository is, and its worktree if it is to have one. */
export function folders(place: Pick<GitPlace, 'top' | 'gitDir' | 'workTree'>): Record<string, string> {
  const { top, gitDir, workTree } = place;
  if (gitDir === undefined) return { GIT_DIR: join(top, '.git'), GIT_WORK_TREE: workTree ?? top };
  return { GIT_DIR: gitDir, ...(workTree !== undefined && { GIT_WORK_TREE: workTree }) };
}

/** A command's own configuration, which outranks every file. */
export function configVariables(config: Config): Record<string, string> {
  const pairs = config.flatMap(([name, value], at): [string, string][] => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries<string>(pairs) };
}

function environment(place: GitPlace, ownCommon: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    // No folder, so that git finds no person's configuration and there is nothing to take away.
    HOME: '/dev/null',
    ...folders(place),
    GIT_COMMON_DIR: ownCommon,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // No replaced commits: what a repository says of its history is not to be forged by a ref.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // What LFS lacks is fetched by a call that goes out, never beside a look.
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_AUTHOR_NAME: 'Townwatch',
    GIT_AUTHOR_EMAIL: 'town@localhost',
    GIT_COMMITTER_NAME: 'Townwatch',
    GIT_COMMITTER_EMAIL: 'town@localhost',
    ...(place.index === undefined ? {} : { GIT_INDEX_FILE: place.index }),
    ...(place.objects === undefined ? {} : objectsIn(place.objects, ownCommon)),
    ...configVariables([...SAFE, ...(place.config ?? [])]),
  };
}

/** The repository's own are read all the same. */
const objectsIn = (folder: string, ownCommon: string): Record<string, string> => ({
  GIT_OBJECT_DIRECTORY: folder,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: join(ownCommon, 'objects'),
});
