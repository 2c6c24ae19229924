/** A real repository with a remote, and a linked worktree of it on a branch of its own. */
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { lookAt, type LookOptions } from '../../src/git/look.ts';
import { prepared } from '../rescue/prepared.ts';
import { Repo } from '../rescue/repo.ts';

const BRANCH = 'polecat/nux';

const BEGUN = prepared(() => {
  const repo = new Repo();
  repo.commit('file', 'first\n');
  repo.commit('.gitignore', 'built/\n');
  repo.addOrigin();
  repo.git('worktree', 'add', '-q', '-b', BRANCH, join(repo.root, 'polecats/nux'));
  return repo.root;
});

export class Linked extends Repo {
  /** The linked worktree. */
  readonly dir = join(this.root, 'polecats/nux');
  readonly commonDir = join(this.top, '.git');

  constructor() {
    super(BEGUN);
    this.in('update-index', '-q', '--refresh');
  }

  /** git in the linked worktree. */
  in(...args: string[]): string {
    return this.gitIn(this.dir, ...args);
  }

  /** As `in`, where git may refuse: what becomes of it is seen in the worktree. */
  tryIn(...args: string[]): boolean {
    try {
      this.in(...args);
      return true;
    } catch {
      return false; // For instance a conflict, which is what is wanted.
    }
  }

  /** A file in the linked worktree. */
  put(name: string, text: string): string {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** A commit in the linked worktree. */
  work(name: string, text: string): string {
    this.put(name, text);
    this.in('add', name);
    return this.in('commit', '-q', '-m', `works on ${name}`);
  }

  push(): string {
    return this.in('push', '-q', 'origin', BRANCH);
  }

  /** The folder, as a person removes it. */
  remove(): boolean {
    rmSync(this.dir, { recursive: true });
    return true;
  }

  copy(from: string, to: string): boolean {
    cpSync(from, to, { recursive: true });
    return true;
  }

  move(from: string, to: string): boolean {
    renameSync(from, to);
    return true;
  }

  look(more: Partial<LookOptions> = {}): Promise<WorktreeFacts> {
    return lookAt(this.dir, { depth: 'whole', commonDir: this.commonDir, branch: BRANCH, ...more });
  }
}
