/**
 * Brings one request to its end: finds its work, makes the commit, tests it, pushes it. It holds nothing that git and the mailbox do not:
 * killed anywhere, the next refinery begins the request anew and finds in main what was pushed.
 * 1. Main gets a commit only while it stands where the remote had it when the commit was made.
 * 2. After a push that failed the remote is asked what became of it: git's words decide nothing.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import { GitFailed } from '../git/failure.ts';
import { transfer } from '../git/push.ts';
import type { Request } from '../patrols/witness/refinery-work.ts';
import type { Merging } from '../rigs/choices.ts';
import { mainOf, type Main } from '../rigs/main-branch.ts';
import { remoteTrouble } from '../rigs/remote.ts';
import { withContents } from '../rigs/repository.ts';
import { Failure } from '../terminal/failure.ts';
import { committerOf } from './committer.ts';
import { makeCommit, type Made, type MergeWay } from './commits.ts';
import { REFINERY } from './policy.ts';
import { excuses, isFresh, type Asked, type RedMain } from './red-main.ts';
import { run, type Runs } from './runs.ts';
import { commandText } from '../../machines/kernel/command-text.ts';
import { addressIn, failuresIn, refusalIn, tailOf } from './telling.ts';
import { checkOut, treeFolder } from './tree.ts';
import { resultOf } from './result.ts';
import { findWork, type Work } from './work.ts';

export interface Refining extends Runs {
  readonly record: RigRecord;
  readonly merging: Merging;
  readonly standingIn: (folder: string) => Promise<readonly string[]>;
  /** Of a bead; null = there is none. */
  readonly titleOf: (bead: string) => Promise<string | null>;
  /** Whether the request is still in the mailbox: a person, or its witness, may take it back. */
  readonly isOpen: (request: Request) => Promise<boolean>;
  /** What it is at, for a person who looks at its pane. */
  readonly at: (text: string) => void;
  /** Commits whose test passed, by that test and what they were made of: a push that is refused needs no further one. */
  readonly passed: Map<string, string>;
  /** What failed in a merge that main excuses, by the same: while main fails so, that merge needs no further test. */
  readonly excused: Map<string, Asked['fails']>;
  /** Of a main that did not pass its test, by that test and its commit. */
  readonly redMain: Map<string, RedMain>;
}

/**
 * `merged`: main has it, by this commit. `failed`: it goes back to its polecat. `asked`: a pull request is open, at `url` where its command printed that. `withdrawn`: its request was
 * taken back, and nothing is answered. `waits`: it is no fault of the work; `kind` names the cause, `why` says it to a person.
 */
export type Outcome =
  | {
      readonly is: 'merged';
      readonly commit: string;
      readonly work: Work;
      readonly main: Main & { readonly remote: string };
    }
  | { readonly is: 'failed'; readonly why: string }
  | { readonly is: 'asked'; readonly work: Work; readonly url: string | null }
  | { readonly is: 'withdrawn' }
  | {
      readonly is: 'waits';
      readonly kind: 'remote' | 'moves' | 'out' | 'push' | 'place' | 'test' | 'main' | 'command';
      readonly why: string;
    };

const waits = (kind: Extract<Outcome, { is: 'waits' }>['kind'], why: string): Outcome => ({ is: 'waits', kind, why });
const failed = (why: string): Outcome => ({ is: 'failed', why });

export async function refine(refining: Refining, request: Request): Promise<Outcome> {
  try {
    for (let move = 0; move < REFINERY.maxMoves; move += 1) {
      const outcome = await once(refining, request);
      if (outcome.is !== 'waits' || outcome.kind !== 'moves') return outcome;
    }
    return waits('moves', `${refining.record.name}'s main branch moves faster than its merges are tested`);
  } catch (error) {
    if (error instanceof GitFailed) return waits('remote', error.message);
    if (error instanceof Failure) return waits('place', error.message);
    throw error;
  }
}

async function once(refining: Refining, request: Request): Promise<Outcome> {
  const { record, merging } = refining;
  // Others of its round came before it, or main moved while it was tested.
  if (!(await refining.isOpen(request))) return { is: 'withdrawn' };
  const main = await mainOf({ ...record, transferMs: REFINERY.transferMs });
  const { remote } = main;
  if (main.source === 'stale' || remote === null)
    return waits('remote', remote === null ? `${record.repo} has no remote` : main.why);
  const there = { ...main, remote };
  const found = await findWork(record, there, request);
  if (found.is === 'refused') return failed(found.why);
  if (found.is === 'out')
    return waits(
      'out',
      `${main.branch} had ${request.branch ?? 'the work'} and took it out again: its witness asks a person`,
    );
  if (found.is === 'unknown') return waits('remote', `git cannot tell whether ${main.branch} has the work`);
  const { work } = found;
  if (found.is === 'merged') return { is: 'merged', commit: main.commit, work, main: there };
  const key = keyOf(merging, main, work);
  const before = refining.passed.get(key);
  const made: Made = before === undefined ? await make(refining, request, work, main) : { is: 'made', commit: before };
  if (made.is === 'refused') return failed(made.why);
  const red = before === undefined ? await test(refining, request, work, main, made.commit) : null;
  if (!(await refining.isOpen(request))) return { is: 'withdrawn' };
  if (red !== null) return red;
  if (merging.test !== null) refining.passed.set(key, made.commit);
  const outcome =
    merging.way === 'pull-request'
      ? await ask(refining, request, work, main, made.commit)
      : await pushed(refining, request, work, there, made.commit);
  if (outcome.is !== 'waits') refining.passed.delete(key);
  return outcome;
}

/** Of what its test says of a merge. */
const keyOf = ({ test, way }: Merging, main: Main, work: Work): string =>
  JSON.stringify([test, way, main.commit, work.commit]);

/** For a pull request what the host would make of it. */
const wayOf = ({ way }: Merging): MergeWay => (way === 'pull-request' ? 'merge' : way);

async function make(refining: Refining, request: Request, work: Work, main: Main): Promise<Made> {
  const { record, merging } = refining;
  const { bead } = request;
  refining.at(`merges ${work.branch} into ${main.branch}`);
  const title = bead === null ? null : await refining.titleOf(bead);
  const committer = await committerOf(record);
  const attributes = await attributesIn(refining, main.commit);
  const wanted = { main: main.commit, work: work.commit, branch: work.branch, title, bead, committer, now: Date.now() };
  return withContents(record, ({ repo }) => makeCommit(repo, wayOf(merging), wanted), attributes);
}

/** Without a worktree git reads no attributes: those at the top of main say how its files are merged. */
async function attributesIn({ record }: Refining, main: string): Promise<{ readonly attributes?: string }> {
  return withContents(record, async ({ repo }) => {
    const entry = await repo.run(['ls-tree', main, '--', '.gitattributes']);
    if (!/^100\d+ blob /.test(entry)) return {};
    return { attributes: await repo.run(['cat-file', 'blob', `${main}:.gitattributes`]) };
  });
}

const variables = ({ record }: Refining, { bead, polecat }: Request, { branch }: Work, main: Main, title: string) => ({
  TOWN_RIG: record.name,
  TOWN_BASE: main.branch,
  TOWN_BRANCH: branch,
  TOWN_BEAD: bead ?? '',
  TOWN_POLECAT: polecat ?? '',
  TOWN_TITLE: title,
});

/** null = it passed, or there is none. */
async function test(
  refining: Refining,
  request: Request,
  work: Work,
  main: Main,
  commit: string,
): Promise<Outcome | null> {
  const { test: words, testLimitMs: limitMs } = refining.merging;
  if (words === null) return null;
  const key = keyOf(refining.merging, main, work);
  const before = refining.excused.get(key);
  const still =
    before === undefined ? null : await redMain(refining, request, main, { words, fails: before, leastMs: 0 });
  if (still !== null) return still;
  refining.excused.delete(key);
  refining.at(`tests the merge of ${work.branch}: ${commandText(words)}`);
  const ended = await inTree(refining, request, work, main, { commit, words });
  const { is, text } = resultOf(ended, { words, limitMs }, `the merge of ${work.branch}`);
  if (is === 'passed') return null;
  if (refining.cancelled.aborted) return ENDED;
  if (is === 'unknown') return waits('test', `${text}\nIts request stays: ${request.mail}`);
  // A test takes its time.
  if (!(await refining.isOpen(request))) return { is: 'withdrawn' };
  const fails = failuresIn(ended.output);
  const excuse = await redMain(refining, request, main, { words, fails, leastMs: REFINERY.maxRestMs });
  if (excuse === null) return failed(text);
  refining.excused.set(key, fails);
  return excuse;
}
/** It was cancelled: the refinery itself ends. */
const ENDED = waits('place', 'the refinery was ended');

/**
 * The same test on main alone, in the same worktree, after a merge failed it; null = main passes, or does not excuse the merge. That main
 * passed, or failed otherwise, a while ago says nothing of now. That it failed alike makes the request wait, and no more.
 */
async function redMain(refining: Refining, request: Request, main: Main, asked: Asked): Promise<Outcome | null> {
  const { branch, commit } = main;
  const { words } = asked;
  const key = JSON.stringify([words, commit]);
  const before = refining.redMain.get(key);
  const began = performance.now();
  if (before !== undefined && isFresh(before, asked, began) && excuses(before, asked)) return waits('main', before.why);
  refining.at(`tests ${branch} itself: ${commandText(words)}`);
  const itself = { branch, commit, isTip: true };
  const ended = await inTree(refining, { ...request, bead: null, polecat: null }, itself, main, { commit, words });
  const { is, text } = resultOf(ended, { words, limitMs: refining.merging.testLimitMs }, `${branch} itself`);
  if (refining.cancelled.aborted) return ENDED;
  refining.redMain.delete(key);
  if (is === 'passed') return null;
  const why = `the test fails on ${branch} alone; requests that pass are merged, the others wait until ${branch} passes\n\n${text}`;
  const at = performance.now();
  const red = { why, fails: is === 'failed' ? failuresIn(ended.output) : null, at, tookMs: at - began };
  refining.redMain.set(key, red);
  return excuses(red, asked) ? waits('main', why) : null;
}

async function inTree(
  refining: Refining,
  request: Request,
  work: Work,
  main: Main,
  { commit, words }: { readonly commit: string; readonly words: readonly string[] },
) {
  const { record, root, standingIn, merging } = refining;
  const folder = treeFolder(root, record);
  await checkOut({ rig: record, folder, standingIn }, commit);
  const title = request.bead === null ? null : await refining.titleOf(request.bead);
  const env = { ...variables(refining, request, work, main, title ?? work.branch), TOWN_COMMIT: commit };
  return run(refining, { words, dir: folder, limitMs: merging.testLimitMs, env });
}

/** The branch is on the remote; the host merges it. Whether main has it, the witness asks from now on. */
async function ask(refining: Refining, request: Request, work: Work, main: Main, commit: string): Promise<Outcome> {
  const { pullRequest: words } = refining.merging;
  if (words === null)
    return waits(
      'command',
      `[rig.${refining.record.name}] merge is pull-request, and no command opens one; write pull_request = 'gh pr create …'`,
    );
  refining.at(`opens a pull request for ${work.branch}`);
  const ended = await inTree(refining, request, work, main, { commit, words });
  if (ended.is === 'done') return { is: 'asked', work, url: addressIn(ended.output) };
  return waits('command', `\`${commandText(words)}\` came to nothing (${ended.text}): ${tailOf(ended.output)}`);
}

async function pushed(
  refining: Refining,
  request: Request,
  work: Work,
  main: Main & { readonly remote: string },
  commit: string,
): Promise<Outcome> {
  const { record } = refining;
  // A test ran meanwhile, and agents can change where a remote leads.
  const trouble = await remoteTrouble(record);
  if (trouble !== null) return waits('place', trouble);
  refining.at(`pushes ${work.branch} to ${main.branch}`);
  try {
    await pushTo(record, main.remote, { branch: main.branch, from: main.commit, to: commit });
    return { is: 'merged', commit, work, main };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return afterFailure(record, request, main, work, error);
  }
}

async function afterFailure(
  record: RigRecord,
  request: Request,
  main: Main & { readonly remote: string },
  work: Work,
  error: GitFailed,
): Promise<Outcome> {
  const now = await mainOf({ ...record, transferMs: REFINERY.transferMs });
  if (now.source !== 'fetched') return waits('remote', now.why);
  if (now.commit !== main.commit) return waits('moves', `${main.branch} moved`);
  const text = `${main.remote} refuses ${work.branch} on ${main.branch}: ${refusalIn(error.message)}`;
  return waits('push', `${text}\nIts request stays: ${request.mail}`);
}

/** Only while the remote's branch stands at `from`. `to` null = deletes it. */
export function pushTo(
  { commonDir, repo }: Pick<RigRecord, 'commonDir' | 'repo'>,
  remote: string,
  { branch, from, to }: { readonly branch: string; readonly from: string; readonly to: string | null },
): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const words = ['--no-verify', '--no-follow-tags', '--quiet', `--force-with-lease=${ref}:${from}`];
  const place = { gitDir: commonDir, cwd: repo, transferMs: REFINERY.transferMs };
  return transfer(place, ['push', ...words, '--', remote, `${to ?? ''}:${ref}`]);
}
