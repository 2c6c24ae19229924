/**
 * Folders of ours in the system's temporary folder, one for each call of git and one for each worktree that is rescued. Who makes
 * one removes it. What is left then goes at the exit of its process, and after a kill -9 by the next process that makes one.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { existsByKernel } from '../proc/exists.ts';

/** The name of a folder says which process made it. */
const NAME = /^town-(?:git|rescue)-(\d+)-/;

const pidOf = (name: string): number | null => {
  const [, pid] = NAME.exec(name) ?? [];
  return pid === undefined ? null : Number(pid);
};

/** Removes the folders of processes that are gone. Another user's folders stay. */
async function sweep(): Promise<void> {
  const names = await readdir(tmpdir()).catch((): string[] => []);
  const left = names.filter((name) => {
    const pid = pidOf(name);
    return pid !== null && !existsByKernel(pid);
  });
  await Promise.allSettled(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })));
}

function removeOwn(): void {
  try {
    const own = readdirSync(tmpdir()).filter((name) => pidOf(name) === process.pid);
    for (const name of own) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  } catch {
    // The next process that makes one removes them.
  }
}

let isRegistered = false;
/**
 * Removes the folders of this process when it exits, also those of its threads: they are ended without a word. Only the main
 * thread may do this; in another thread, whose end is not the end of the process, the call does nothing.
 */
export function removeOwnAtExit(): void {
  if (!isMainThread || isRegistered) return;
  isRegistered = true;
  process.once('exit', removeOwn);
}

let swept: Promise<void> | undefined;
/** Resolves with the path of a new folder. */
export async function makeOwnFolder(use: 'git' | 'rescue'): Promise<string> {
  removeOwnAtExit();
  await (swept ??= sweep());
  return mkdtempSync(join(tmpdir(), `town-${use}-${String(process.pid)}-`));
}
