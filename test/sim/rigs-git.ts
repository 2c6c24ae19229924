/**
 * Git of a simulated rig: worktrees with what was made in them, the remote's branches and its main branch, and what was rescued.
 * A piece of work is a word; it is lost when it is in none of these.
 */
import type { LeftSeen } from '../../machines/patrols/observation.ts';
import { branchOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { NOTHING_SEEN, type WorktreeFacts } from '../../machines/rigs/worktree.ts';

export interface Tree {
  readonly record: PolecatRecord;
  place: 'there' | 'aside';
  readonly uncommitted: Set<string>;
  readonly commits: Set<string>;
  movedAt: number;
}

export class SimGit {
  readonly trees = new Map<string, Tree>();
  readonly main = new Set<string>();
  readonly rescued = new Set<string>();
  /** Lives whose commits stand on two branches, until a person brings them together. */
  readonly scattered = new Set<string>();
  /** Pieces that were in a worktree which went, and in nothing else then. */
  readonly lost: string[] = [];
  readonly #remote = new Map<string, Set<string>>();
  readonly #commits = new Map<string, ReadonlySet<string>>();
  #made = 0;

  /** One that an earlier agent left stands on under its name, and is this one's. */
  place(record: PolecatRecord, now: number): void {
    const { uuid, rig, name } = record;
    if (this.trees.has(uuid)) return;
    const left = [...this.trees].find(([, one]) => one.record.rig === rig && one.record.name === name);
    if (left !== undefined) this.trees.delete(left[0]);
    const fresh: Tree = { record, place: 'there', uncommitted: new Set(), commits: new Set(), movedAt: now };
    this.trees.set(uuid, { ...(left?.[1] ?? fresh), record });
  }

  work(uuid: string): void {
    this.#made += 1;
    this.trees.get(uuid)?.uncommitted.add(`piece-${this.#made}`);
  }

  commit(uuid: string, now: number): void {
    const tree = this.trees.get(uuid);
    if (tree === undefined || tree.uncommitted.size === 0) return;
    for (const piece of tree.uncommitted) tree.commits.add(piece);
    tree.uncommitted.clear();
    tree.movedAt = now;
  }

  push(uuid: string): void {
    const tree = this.trees.get(uuid);
    if (tree === undefined) return;
    const on = this.#branch(tree.record.rig, branchOf(tree.record));
    for (const piece of tree.commits) on.add(piece);
  }

  /** Everything uncommitted and every commit of it is kept under a ref. */
  rescue(uuid: string): void {
    const tree = this.trees.get(uuid);
    for (const piece of [...(tree?.uncommitted ?? []), ...(tree?.commits ?? [])]) this.rescued.add(piece);
  }

  /** All of it is kept, and the worktree is as if nothing had been done there. */
  discard(uuid: string): void {
    this.rescue(uuid);
    this.trees.get(uuid)?.uncommitted.clear();
  }

  look(uuid: string): WorktreeFacts {
    const tree = this.trees.get(uuid);
    if (tree?.place !== 'there') return { ...NOTHING_SEEN, place: 'missing' };
    return this.lookAside(uuid);
  }

  /** Wherever it stands. */
  lookAside(uuid: string): WorktreeFacts {
    const tree = this.trees.get(uuid);
    if (tree === undefined) return { ...NOTHING_SEEN, place: 'missing' };
    const unpushed = [...tree.commits].filter((piece) => !this.#isElsewhere(piece));
    const branch = branchOf(tree.record);
    return { ...NOTHING_SEEN, place: 'there', branch, head: 'a'.repeat(40), changed: [...tree.uncommitted], unpushed };
  }

  /** Where it stands, and whether the remote's main branch has it. */
  leftBy(uuid: string): LeftSeen {
    const tree = this.trees.get(uuid);
    const commit = this.tipOf(uuid);
    if (tree === undefined || commit === null) return { is: 'nothing' };
    if (this.scattered.has(uuid)) return { is: 'scattered', text: 'its commits are in 2 places' };
    const where = { branch: branchOf(tree.record), commit };
    return this.isMerged(commit) === 'yes' ? { is: 'merged', isOwnPush: false, ...where } : { is: 'work', ...where };
  }

  destroy(uuid: string): void {
    const tree = this.trees.get(uuid);
    this.trees.delete(uuid);
    for (const piece of [...(tree?.uncommitted ?? []), ...(tree?.commits ?? [])])
      if (!this.#isElsewhere(piece)) this.lost.push(`${piece} of ${tree?.record.name ?? '?'}`);
  }

  /** A branch of the remote goes into its main branch: the commit that says so. */
  merge(rig: string, branch: string, nth: number, isTrue: boolean): string {
    const name = nth.toString(16).padStart(40, 'c');
    const pieces = new Set(this.#branch(rig, branch));
    if (isTrue) for (const piece of pieces) this.main.add(piece);
    this.#commits.set(name, isTrue ? pieces : new Set(['never merged']));
    return name;
  }

  /** The commit that its branch stands at; null = it has none of its own. */
  tipOf(uuid: string): string | null {
    const pieces = this.trees.get(uuid)?.commits ?? new Set<string>();
    if (pieces.size === 0) return null;
    const name = `${[...pieces].join('').replaceAll(/\D/g, '')}${uuid.replaceAll(/\D/g, '')}`
      .slice(-39)
      .padStart(40, 'b');
    this.#commits.set(name, new Set(pieces));
    return name;
  }

  isMerged(commit: string): 'yes' | 'no' {
    const pieces = this.#commits.get(commit);
    return pieces !== undefined && [...pieces].every((piece) => this.main.has(piece)) ? 'yes' : 'no';
  }

  #branch(rig: string, branch: string): Set<string> {
    const key = `${rig}/${branch}`;
    const known = this.#remote.get(key) ?? new Set<string>();
    this.#remote.set(key, known);
    return known;
  }

  #isElsewhere(piece: string): boolean {
    return this.main.has(piece) || this.rescued.has(piece) || [...this.#remote.values()].some((on) => on.has(piece));
  }
}
