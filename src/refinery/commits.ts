/**
 * Makes the commit that main is to have, as objects of git alone: no index, no worktree and no ref changes. A kill leaves an object that
 * git collects one day.
 * 1. `merge`: a commit with main and the branch as its parents.
 * 2. `squash`: one commit on main, with the author of the branch's last one.
 * 3. `rebase`: each commit of the branch again on main, with its author and message, also where main stands still: a commit of the
 *    branch itself in main's own line came there past the refinery. As a squash where that leaves out what a merge
 *    in the branch decided: a conflict of text or of meaning, which no other commit of it holds.
 */
import type { Git } from '../git/git.ts';
import { REFINERY } from './policy.ts';

export type MergeWay = 'merge' | 'squash' | 'rebase';

export interface Wanted {
  readonly main: string;
  readonly work: string;
  readonly branch: string;
  /** Of the bead; null = there is none. */
  readonly title: string | null;
  readonly bead: string | null;
  /** `Name <mail>`, of the person's own git. */
  readonly committer: string;
  /** Wall ms. */
  readonly now: number;
}

/** `why`: the branch's own fault, for its polecat. */
export type Made = { readonly is: 'made'; readonly commit: string } | { readonly is: 'refused'; readonly why: string };

const refused = (why: string): Made => ({ is: 'refused', why });

export async function makeCommit(git: Git, way: MergeWay, wanted: Wanted): Promise<Made> {
  const { main, work, branch } = wanted;
  if ((await git.find(['merge-base', main, work])) === null)
    return refused(`${branch} has no commit in common with main`);
  const picked = way === 'rebase' ? await rebased(git, wanted) : null;
  if (picked !== null && !(await hasMerges(git, wanted))) return picked;
  const tree = await mergedTree(git, main, work);
  if (tree.is === 'conflict') return refused(tree.why);
  if (picked?.is === 'made' && (await treeOf(git, picked.commit)) === tree.id) return picked;
  if (way === 'merge') return merged(git, wanted, tree.id);
  return tree.id === (await treeOf(git, main)) ? nothingNew(branch) : squashed(git, wanted, tree.id);
}

const nothingNew = (branch: string): Made => refused(`${branch} changes nothing that main does not have`);

const treeOf = async (git: Git, commit: string): Promise<string> =>
  (await git.run(['rev-parse', `${commit}^{tree}`])).trim();

type Tree = { readonly is: 'tree'; readonly id: string } | { readonly is: 'conflict'; readonly why: string };

async function mergedTree(git: Git, ours: string, theirs: string): Promise<Tree> {
  const { isSo, text } = await git.answer(['merge-tree', '--write-tree', '--name-only', '--messages', ours, theirs]);
  if (isSo) return { is: 'tree', id: text.split('\n', 1)[0] ?? '' };
  const conflicts = text.split('\n').filter((line) => line.startsWith('CONFLICT'));
  return { is: 'conflict', why: utf8(conflicts.join('\n')) || 'git finds a conflict' };
}

/** git's answers are bytes in latin1. */
const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const SECOND = 1_000;
/** For the header of a commit. */
const signed = ({ committer, now }: Wanted): string =>
  bytes(`${committer.replaceAll(/[\n\0]/g, ' ')} ${String(Math.floor(now / SECOND))} +0000`);

const oneLine = (text: string): string => text.replaceAll(/[\0-\x1f\x7f]+/g, ' ').trim();
const subjectOf = (text: string): string => oneLine(text).slice(0, REFINERY.subjectChars);

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** Header lines between the parents and the message, in bytes. */
  readonly headers: readonly string[];
  /** In bytes. */
  readonly message: string;
}

/** Any author can be named this way; `git commit-tree` takes it from the environment alone. */
async function written(git: Git, { tree, parents, headers, message }: NewCommit): Promise<string> {
  const lines = [`tree ${tree}`, ...parents.map((one) => `parent ${one}`), ...headers, '', message];
  return (await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], lines.join('\n'))).trim();
}

async function merged(git: Git, wanted: Wanted, tree: string): Promise<Made> {
  const { main, work, branch, title, bead } = wanted;
  const by = signed(wanted);
  const subject = title === null ? `Merge ${branch}` : `Merge ${branch}: ${subjectOf(title)}`;
  const message = bytes(bead === null ? `${subject}\n` : `${subject}\n\nBead: ${bead}\n`);
  const headers = [`author ${by}`, `committer ${by}`];
  return { is: 'made', commit: await written(git, { tree, parents: [main, work], headers, message }) };
}

interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  /** The lines `author …` and `encoding …`. */
  readonly headers: readonly string[];
  readonly message: string;
}

async function commitIn(git: Git, id: string): Promise<Commit> {
  const text = await git.run(['cat-file', 'commit', id]);
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const parents = lines.flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []));
  return {
    id,
    parents,
    headers: lines.filter((line) => /^(author|encoding) /.test(line)),
    message: text.slice(end + 2),
  };
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

const hasMerges = async (git: Git, { main, work }: Wanted): Promise<boolean> =>
  (await git.run(['rev-list', '--merges', '--max-count=1', work, `^${main}`, '--'])) !== '';

/** Those of the branch that main lacks, the oldest first, without merges. */
async function ownOf(git: Git, { main, work }: Wanted): Promise<Commit[]> {
  const said = await git.run(['rev-list', '--reverse', '--topo-order', '--no-merges', work, `^${main}`, '--']);
  const own: Commit[] = [];
  for (const id of said.split('\n')) if (id !== '') own.push(await commitIn(git, id));
  return own;
}

async function squashed(git: Git, wanted: Wanted, tree: string): Promise<Made> {
  const { main, work, branch, title, bead } = wanted;
  const own = await ownOf(git, wanted);
  const last = own.at(-1) ?? (await commitIn(git, work));
  const author = last.headers.filter((line) => line.startsWith('author '));
  const subject = title === null ? firstLine(own[0]?.message ?? bytes(branch)) : bytes(subjectOf(title));
  const list = own.map(({ message }) => `* ${firstLine(message)}`);
  const trailer = bead === null ? [] : ['', `Bead: ${bead}`];
  const message = own.length === 1 && title === null ? last.message : [subject, '', ...list, ...trailer, ''].join('\n');
  const headers = [...author, `committer ${signed(wanted)}`];
  return { is: 'made', commit: await written(git, { tree, parents: [main], headers, message }) };
}

/** What main has already adds nothing and is left out. */
async function rebased(git: Git, wanted: Wanted): Promise<Made> {
  let onto = wanted.main;
  for (const one of await ownOf(git, wanted)) {
    const tree = await pickedTree(git, one, onto);
    if (tree.is === 'conflict') {
      const subject = oneLine(utf8(firstLine(one.message)));
      return refused(`${tree.why}\nwhile ${one.id.slice(0, SHORT)} (${subject}) was put on main`);
    }
    if (tree.id === (await treeOf(git, onto))) continue;
    const [author = '', ...encoding] = one.headers;
    const headers = [author, `committer ${signed(wanted)}`, ...encoding];
    onto = await written(git, { tree: tree.id, parents: [onto], headers, message: one.message });
  }
  return onto === wanted.main ? nothingNew(wanted.branch) : { is: 'made', commit: onto };
}
const SHORT = 12;

/** As `git cherry-pick`. Two commits with the parent's tree as their base stand in: older gits take no base by name. */
async function pickedTree(git: Git, one: Commit, onto: string): Promise<Tree> {
  const [parent] = one.parents;
  const commitOf = async (tree: string, from: readonly string[]): Promise<string> => {
    const words = from.flatMap((id) => ['-p', id]);
    return (await git.run(['commit-tree', tree, ...words, '-m', 'base'])).trim();
  };
  const empty = (await git.run(['hash-object', '-t', 'tree', '-w', '--stdin'])).trim();
  const base = await commitOf(parent === undefined ? empty : await treeOf(git, parent), []);
  const ours = await commitOf(await treeOf(git, onto), [base]);
  return mergedTree(git, ours, await commitOf(await treeOf(git, one.id), [base]));
}
