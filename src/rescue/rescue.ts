/**
 * Performs `rescue`: scrollback and git work of a target, saved before anything is destroyed (law 4).
 * 1. It resolves only after everything is saved; any doubt rejects, and nothing is destroyed.
 * 2. Looked at are the worktrees of the agent's own folder, of its survivors' and of its session's, with their submodules and nested
 *    repositories. A folder that is in no repository has no git work, and the outcome says so.
 * 3. Doing it again under the same dance keeps the first rescue as an ancestor of the second.
 */
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Incarnation, Proc, Rescue } from '../../machines/protocol.ts';
import type { OrderOf, Perform, Rescuer } from '../ports/ports.ts';
import { worktreeOf } from '../git/find.ts';
import { GitFailed, utf8 } from '../git/git.ts';
import { makeOwnFolder } from '../git/own-folders.ts';
import { notesOf } from './notes.ts';
import { snapshotOf, type RescueLimits } from './snapshot.ts';

export type RescueFiles = Readonly<Record<string, string | Uint8Array>>;

export interface RescuerDeps {
  /** Working folder of a living process; null = it is gone, or the folder is hidden. */
  readonly cwdOf: (agent: Proc) => string | null;
  /** The folder its session was started in; null = not known. */
  readonly dirOf: (target: Incarnation) => Promise<string | null>;
  /** Writes the files durably into this folder of the root (`rescue/<dance>`); the same names are replaced. */
  readonly saveRescue: (folder: string, files: RescueFiles) => Promise<void>;
  readonly policy: RescueLimits;
}

export interface RescueHandDeps {
  readonly rescuer: Rescuer;
  /** The pane's whole history. Rejects when it could not be read. */
  readonly scrollback: (target: Incarnation, signal: AbortSignal) => Promise<string>;
}

const DANCE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export function rescueHand({ rescuer, scrollback }: RescueHandDeps): Perform<OrderOf<'rescue'>> {
  return async ({ target, dance, also }, signal) => ({
    type: 'RESCUED',
    rescue: await rescuer.rescue(target, dance, await scrollback(target, signal), signal, also),
  });
}

export function createRescuer(deps: RescuerDeps): Rescuer {
  return {
    rescue: async (target, dance, scrollback, signal, also) => {
      if (!DANCE_ID.test(dance))
        throw new Error(`${JSON.stringify(dance)} is no dance's id; nothing is rescued under it`);
      const folder = `rescue/${dance}`;
      const { notes, ...saved } = await saveGit(
        deps,
        await worktreesOf(deps, target, also),
        { dance, isLast: false },
        signal,
      );
      await deps.saveRescue(folder, { 'scrollback.txt': scrollback, ...notes });
      return { folder, ...saved } satisfies Rescue;
    },
  };
}

/** The git work of one folder that goes afterwards, kept under `refs/town/rescue/<id>` with notes in `rescue/<id>`. Returns the ref; null = there was none. */
export async function rescueFolder(
  deps: Pick<RescuerDeps, 'saveRescue' | 'policy'>,
  folder: string,
  id: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (!DANCE_ID.test(id)) throw new Error(`${JSON.stringify(id)} names no rescue`);
  const { notes, ref } = await saveGit(deps, [folder], { dance: id, isLast: true }, signal);
  await deps.saveRescue(`rescue/${id}`, notes);
  return ref;
}

async function saveGit(
  deps: Pick<RescuerDeps, 'policy'>,
  first: readonly string[],
  { dance, isLast }: { readonly dance: string; readonly isLast: boolean },
  signal: AbortSignal,
) {
  const waiting = [...first];
  const done = new Set<string>();
  let ref: string | null = null;
  let [repos, files] = [0, 0];
  const notes: Record<string, string | Uint8Array> = {};
  for (let top = waiting.shift(); top !== undefined; top = waiting.shift()) {
    if (done.has(top)) continue;
    done.add(top);
    if (done.size > deps.policy.maxRescueRepos)
      throw new GitFailed(
        `${first.join(', ')} hold more than ${deps.policy.maxRescueRepos} repositories; move some of them out of the worktree`,
      );
    const scratch = await makeOwnFolder('rescue');
    try {
      const snapshot = await snapshotOf({ top, scratch, policy: deps.policy, signal, isLast }, dance);
      if (snapshot === null) continue;
      Object.assign(notes, await notesOf(snapshot, done.size, deps.policy));
      ref = ref ?? snapshot.ref;
      repos += 1;
      files += snapshot.files;
      for (const name of snapshot.changes.repos) waiting.push(await realpath(join(top, utf8(name))));
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  return { ref, repos, files, notes };
}

async function worktreesOf(deps: RescuerDeps, target: Incarnation, also: readonly Proc[] = []): Promise<string[]> {
  const folders = [...[target.agent, ...also].map(deps.cwdOf), await deps.dirOf(target)].filter(
    (folder) => folder !== null,
  );
  if (folders.length === 0) throw new Error(`no folder of ${target.session} is known, so its git work cannot be saved`);
  const tops = await Promise.all(folders.map(worktreeOf));
  return [...new Set(tops.filter((top) => top !== null))];
}
