/**
 * Many small commands in few calls of the tmux program: starting one costs far more than what it asks for.
 * A call ends at its first error, and whose command that was is not told: then each group is called by itself.
 */
import { randomBytes } from 'node:crypto';
import type { Answer } from './exec.ts';

/** Commands that belong together: none after one that failed. Done twice, they do no harm. */
export type Group = readonly (readonly string[])[];

/** What makes the calls. */
interface Calls {
  sequence(commands: Group): Promise<Answer>;
}

/** A random word between foreign texts; short, since a call holds many. */
export const newSeam = (): string => `seam-${randomBytes(SEAM_BYTES).toString('base64url')}`;

const SEAM_BYTES = 12;

/** tmux takes a command line of 16 kB at most. */
const MAX_BYTES = 12_000;
const SEPARATOR_BYTES = 2;

/** Resolves when all were tried; what tmux refused for one does not keep another from being done. Rejects with TmuxError. */
export async function changeAll(tmux: Calls, groups: readonly Group[]): Promise<void> {
  for (const some of batches(groups)) {
    const { refused } = await tmux.sequence(some.flat());
    if (refused !== null && some.length > 1) for (const group of some) await tmux.sequence(group);
  }
}

/** What each group prints; null = tmux refused it. Rejects with TmuxError. */
export async function readAll(tmux: Calls, groups: readonly Group[]): Promise<readonly (string | null)[]> {
  const seam = newSeam();
  const found: (string | null)[] = [];
  for (const some of batches(groups.map((group) => [...group, ['display-message', '-p', seam]]))) {
    const { stdout, refused } = await tmux.sequence(some.flat());
    const parts = stdout.split(`${seam}\n`);
    if (refused === null && parts.length === some.length + 1) found.push(...parts.slice(0, -1));
    else for (const group of some) found.push(await readOne(tmux, group.slice(0, -1)));
  }
  return found;
}

async function readOne(tmux: Calls, group: Group): Promise<string | null> {
  const { stdout, refused } = await tmux.sequence(group);
  return refused === null ? stdout : null;
}

function batches(groups: readonly Group[]): Group[][] {
  const all: Group[][] = [];
  let bytes = MAX_BYTES;
  for (const group of groups) {
    const own = group.flat().reduce((sum, word) => sum + Buffer.byteLength(word) + SEPARATOR_BYTES, 0);
    bytes += own;
    if (bytes > MAX_BYTES) {
      all.push([]);
      bytes = own;
    }
    all.at(-1)?.push(group);
  }
  return all;
}
