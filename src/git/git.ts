/**
 * The door to git. A repository is foreign ground: its configuration may name programs.
 * 1. Nothing it names is run: hooks, fsmonitor, filters, external diffs, textconv, pagers, signing and transports are
 *    switched off on the command's own configuration, which outranks every file, and the environment is made anew.
 * 2. The repository is the `.git` in `top` or the one that is named, never one found further up; `safe.directory` and
 *    `core.worktree` do not matter.
 * 3. Every call is bounded in time, and no more run at once than are of use.
 * 4. Output is latin1, one character a byte, because a file's name may be any bytes. Names go in by stdin, never as words.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HandsPolicy } from '../ports/policy.ts';
import { GIT } from './policy.ts';

/** A git command that did not succeed; the message quotes the command and what it said. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

type Config = readonly (readonly [name: string, value: string])[];

export interface GitPlace {
  /** Folder that holds `.git`; git runs in it. */
  readonly top: string;
  /** The repository's folder where it is not the `.git` in `top`; without a worktree then, unless one is named. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly policy: Pick<HandsPolicy, 'gitMs'>;
  readonly signal: AbortSignal;
  /** The index to work on instead of the repository's own. */
  readonly index?: string;
  /** More configuration, outranking the repository's. */
  readonly config?: Config;
}

export interface Git {
  /** Standard output; anything but exit 0 is a `GitFailed`. */
  run(args: readonly string[], input?: string): Promise<string>;
  /** Standard output without its last line break, or null where git exits with 1 to say "there is none". */
  find(args: readonly string[]): Promise<string | null>;
  /** As `run`; null = more than `most` bytes. */
  runAtMost(args: readonly string[], most: number, input?: string): Promise<string | null>;
}

const SAFE: Config = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.attributesFile', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.safecrlf', 'false'],
  ['core.checkStat', 'default'],
  ['core.trustCtime', 'true'],
  ['core.ignoreStat', 'false'],
  // A rescue that the next power cut takes away is none; by default git does not sync loose objects.
  ['core.fsync', 'committed,loose-object,reference'],
  ['core.fsyncMethod', 'batch'],
  ['color.ui', 'false'],
  ['commit.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['diff.external', ''],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** Calls under way, and those that wait for one of them to end. */
const waiting: (() => void)[] = [];
let underWay = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (underWay >= GIT.maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }
}

export function gitAt(place: GitPlace): Git {
  const call = (args: readonly string[], input: string, maxBuffer?: number) =>
    inTurn(() => start(args, input, maxBuffer));
  const start = async (args: readonly string[], input: string, maxBuffer?: number) => {
    const { execa } = await import('execa'); // a quarter of what a town loads, and most towns never call git
    return execa('git', ['--no-pager', '--no-optional-locks', ...args], {
      cwd: place.top,
      env: environment(place),
      extendEnv: false,
      encoding: 'latin1',
      stripFinalNewline: false,
      reject: false,
      input: Buffer.from(input, 'latin1'),
      timeout: place.policy.gitMs,
      cancelSignal: place.signal,
      ...(maxBuffer === undefined ? {} : { maxBuffer }),
    });
  };
  const failed = (args: readonly string[], result: Awaited<ReturnType<typeof call>>): GitFailed => {
    // Who runs a program is told the same of a folder that is not there.
    if (result.code === 'ENOENT')
      return new GitFailed(
        existsSync(place.top)
          ? `${place.top} has a .git but there is no git to look at it; install git`
          : `${place.top} is not there; put it back there`,
      );
    const said = result.timedOut
      ? `took longer than ${place.policy.gitMs} ms`
      : result.stderr.trim() || (result.shortMessage ?? 'ended without a word');
    return new GitFailed(`in ${place.top} \`git ${args.join(' ')}\`: ${said}`);
  };
  return {
    run: async (args, input = '') => {
      const result = await call(args, input);
      if (result.failed) throw failed(args, result);
      return result.stdout;
    },
    find: async (args) => {
      const result = await call(args, '');
      if (!result.failed) return result.stdout.replace(/\n$/, '');
      if (result.exitCode === 1) return null;
      throw failed(args, result);
    },
    runAtMost: async (args, most, input = '') => {
      const result = await call(args, input, most);
      if (result.isMaxBuffer) return null;
      if (result.failed) throw failed(args, result);
      return result.stdout;
    },
  };
}

/** Names of the filters' and merges' programs that the repository configures, with what they are to be so that none of them runs. */
export async function filtersOff(git: Git): Promise<[string, string][]> {
  const programs = '^(filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver)$';
  const names = await git.find(['config', '--null', '--name-only', '--get-regexp', programs]);
  const found = new Set((names ?? '').split('\0').filter((name) => name !== ''));
  // A merge without a driver's program is one that failed; with an empty one it would be taken for done.
  const isFalse = (name: string): boolean => name.endsWith('.required') || name.startsWith('merge.');
  return [...found].map((name) => [utf8(name), isFalse(name) ? 'false' : '']);
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

function environment(place: GitPlace): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    // No folder, so that git finds no person's configuration and there is nothing to take away.
    HOME: '/dev/null',
    ...folders(place),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Neither replaced nor grafted commits: what a repository says of its history is not to be forged by a file.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_AUTHOR_NAME: 'Townwatch',
    GIT_AUTHOR_EMAIL: 'town@localhost',
    GIT_COMMITTER_NAME: 'Townwatch',
    GIT_COMMITTER_EMAIL: 'town@localhost',
    ...(place.index === undefined ? {} : { GIT_INDEX_FILE: place.index }),
    ...configVariables([...SAFE, ...(place.config ?? [])]),
  };
}
