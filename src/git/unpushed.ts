/**
 * Commits that no remote has, for many worktrees of one repository. A list looks at all of them at once: those that ask while a log
 * runs are answered by the next one together, where each alone would start a git of its own.
 */
import { readable } from './changes.ts';
import type { Git } from './git.ts';
import { commitsOf, commitGraph, reachedFrom, type CommitGraph } from './history.ts';

export interface Asked {
  readonly repo: Git;
  /** The repository, by the folder that its worktrees share. */
  readonly commonDir: string;
  /** The commit that the worktree has checked out. */
  readonly head: string;
  /** The commit that it began with; its forebears do not count. */
  readonly base: string;
  /** At most so many are listed. */
  readonly most: number;
}

interface Waiting extends Asked {
  readonly answer: PromiseWithResolvers<string[]>;
}

/** By repository and base: who waits for the log that runs now. */
const queues = new Map<string, Waiting[]>();

/** As `<hash> <subject>`, the newest first. Rejects as git does. */
export async function unpushedTogether(asked: Asked): Promise<string[]> {
  if (asked.head === asked.base) return [];
  const key = [asked.commonDir, asked.base].join('\0');
  const one = { ...asked, answer: Promise.withResolvers<string[]>() };
  const queue = queues.get(key);
  if (queue === undefined) void work(key, [one]);
  else queue.push(one);
  return one.answer.promise;
}

async function work(key: string, first: Waiting[]): Promise<void> {
  for (let now = first; now.length > 0; now = queues.get(key) ?? []) {
    queues.set(key, []);
    await answerAll(now);
  }
  queues.delete(key);
}

async function answerAll(all: readonly Waiting[]): Promise<void> {
  // One whose commit is gone, or more than can be told, is no reason to leave the others without an answer.
  const graph = await graphOf(all).catch(() => null);
  for (const one of all) {
    if (graph !== null) one.answer.resolve(listed(graph, one));
    else await alone(one).then(one.answer.resolve, one.answer.reject);
  }
}

const alone = ({ repo, head, base, most }: Asked): Promise<string[]> =>
  commitsOf(repo, [head, '--not', '--remotes', base], most);

/** null = more than can be told. */
async function graphOf(all: readonly Waiting[]): Promise<CommitGraph | null> {
  const [{ repo, base } = { repo: undefined, base: '' }] = all;
  const heads = [...new Set(all.map(({ head }) => head))];
  return repo === undefined ? null : commitGraph(repo, '%s', [...heads, '--not', '--remotes', base]);
}

function listed(log: CommitGraph, { head, most }: Asked): string[] {
  const own = reachedFrom(log, head);
  const rows = [...log].filter(([id]) => own.has(id)).map(([id, { text }]) => `${id} ${readable(text)}`);
  return rows.slice(0, most);
}
