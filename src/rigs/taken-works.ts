/**
 * Which merged work a forced push took out of main: main before it had the work, and main after it had not. Neither commit changes, so git
 * is asked once for each push and work. The answers are in a blob under a ref of the town's own, where another process finds them.
 */
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { Git } from '../git/git.ts';
import type { ForcedPush } from './forced-pushes.ts';
import { inMain, type BranchWork } from './in-main.ts';
import { RIG_WORK } from './policy.ts';
import { withContents, withGit } from './repository.ts';

type Rig = Pick<RigRecord, 'repo' | 'commonDir'>;
type Push = Pick<ForcedPush, 'before' | 'after'>;

/** Whether the push took the work out, by the work; the oldest answer first. */
type Answers = Map<string, boolean>;

/** By repository and push. */
const known = new Map<string, Answers>();

const keyOf = ({ commit, base }: BranchWork): string => `${commit} ${base ?? '-'}`;
const refOf = ({ before, after }: Push): string => `refs/town/lost/${before}-${after}`;

/** Rejects where git does not tell. Work of which main after the push tells nothing is among them. */
export async function takenBy(rig: Rig, push: Push, works: readonly BranchWork[]): Promise<readonly BranchWork[]> {
  const place = JSON.stringify([rig.commonDir, refOf(push)]);
  const answers = known.get(place) ?? (await withGit(rig, ({ repo }) => savedFor(repo, push)));
  known.set(place, answers);
  const open = works.filter((work) => !answers.has(keyOf(work)));
  const unsure = open.length === 0 ? [] : await ask(rig, push, open, answers);
  return works.filter((work) => answers.get(keyOf(work)) ?? unsure.includes(work));
}

/** Adds and saves what is sure; resolves with work that may be out. */
async function ask(
  rig: Rig,
  push: Push,
  works: readonly BranchWork[],
  answers: Answers,
): Promise<readonly BranchWork[]> {
  const near = await withContents(rig, ({ repo }) => nearTo(repo, push, works)).catch(() => works);
  const had = await inMain(rig, { commit: push.before, source: 'fetched' }, near);
  const wasIn = near.filter(({ commit }) => had.get(commit) === 'yes');
  const has = await inMain(rig, { commit: push.after, source: 'fetched' }, wasIn);
  const unsure: BranchWork[] = [];
  for (const work of works) {
    const before = near.includes(work) ? had.get(work.commit) : 'no';
    const after = before === 'yes' ? has.get(work.commit) : 'yes';
    if (after === 'unknown') unsure.push(work);
    else if (before !== 'unknown') answers.set(keyOf(work), after !== 'yes');
  }
  await withGit(rig, ({ repo }) => save(repo, push, answers));
  return unsure;
}

/** The work that this push can have taken out: some file of it was changed by what went, or it began with what went. */
async function nearTo(repo: Git, { before, after }: Push, works: readonly BranchWork[]): Promise<BranchWork[]> {
  const gone = await repo.run(['rev-list', before, `^${after}`, '--']);
  const diff = ['diff-tree', '--stdin', '-r', '--raw', '--no-renames'];
  const changed = new Set((await repo.run([...diff, '-m', '--root'], gone)).split('\n').flatMap(fileIn));
  const bases = new Set(works.flatMap(({ base }) => base ?? []));
  const outside = new Set((await repo.run(['rev-list', '--stdin'], `^${after}\n${lines([...bases])}`)).split('\n'));
  const isClear = ({ commit, base }: BranchWork): boolean =>
    base !== null && !outside.has(base) && [commit, base].every((name) => FULL.test(name));
  const clear = works.filter(isClear);
  const rows = await repo.run(diff, lines(clear.map(({ commit, base }) => `${commit} ${base ?? ''}`)));
  const near = new Set<string>();
  let commit = '';
  for (const row of rows.split('\n')) {
    if (FULL.test(row)) commit = row;
    if (fileIn(row).some((name) => changed.has(name))) near.add(commit);
  }
  return works.filter((work) => !isClear(work) || near.has(work.commit));
}
const FULL = /^[0-9a-f]{40,64}$/;
const lines = (all: readonly string[]): string => all.map((one) => `${one}\n`).join('');

/** A raw line of a difference begins with a colon; its file, as git quotes it, comes after a tab. */
const fileIn = (row: string): readonly string[] => (row.startsWith(':') ? [row.slice(row.indexOf('\t') + 1)] : []);

async function savedFor(repo: Git, push: Push): Promise<Answers> {
  const blob = await repo.find(['rev-parse', '--verify', '--quiet', refOf(push)]);
  const rows = blob === null ? [] : (await repo.run(['cat-file', 'blob', blob])).split('\n');
  return new Map(
    rows.flatMap((row) => {
      const [, is, work] = /^(taken|left) (.+)$/.exec(row) ?? [];
      return work === undefined ? [] : [[work, is === 'taken'] as const];
    }),
  );
}

/** Twice as many as are looked for: the newest work is always among them. */
async function save(repo: Git, push: Push, answers: Answers): Promise<void> {
  const rows = [...answers].slice(-2 * RIG_WORK.maxLost).map(([work, is]) => `${is ? 'taken' : 'left'} ${work}`);
  const blob = (await repo.run(['hash-object', '-w', '--stdin'], lines(rows))).trim();
  await repo.run(['update-ref', refOf(push), blob]);
}
