/**
 * Clears up behind a bench that was killed, or fell: a process of its own, whose input ends with the bench. It is told by lines what
 * there is, `+ /tmp/abcd` or `+ net:[4026532…]`, and `-` before the same words once that was cleared up as ever. What is left when the
 * input ends, it ends and removes: every process in such a namespace, a town whose root is in such a folder, and the folders.
 */
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';

const ROUNDS = 20;
const ROUND_MS = 100;

let input: Writable | null = null;

/** A folder of a bench, or a network namespace as the kernel names it. What is to be called once that is gone. */
export function minded(what: string): () => void {
  const told = (input ??= begun());
  told.write(`+ ${what}\n`);
  return () => void told.write(`- ${what}\n`);
}

/** The bench does not wait for it. */
function begun(): Writable {
  const child = spawn(process.execPath, [import.meta.filename], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  if ('unref' in child.stdin) (child.stdin.unref as () => void)();
  // It ended: nothing is cleared up then, as before.
  child.stdin.on('error', () => undefined);
  return child.stdin;
}

const orEmpty = (read: () => string): string => {
  try {
    return read();
  } catch {
    return ''; // It went by itself.
  }
};

function isOf(pid: string, left: ReadonlySet<string>): boolean {
  if (left.has(orEmpty(() => readlinkSync(`/proc/${pid}/ns/net`)))) return true;
  const words = orEmpty(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  return [...left].some((what) => words.includes(`${what}/.town`));
}

async function clearUp(left: ReadonlySet<string>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    const ours = pids.filter((pid) => isOf(pid, left));
    if (ours.length === 0) break;
    for (const pid of ours) orEmpty(() => String(process.kill(Number(pid), 'SIGKILL')));
    await pause(ROUND_MS);
  }
  for (const what of left)
    if (what.startsWith('/')) rmSync(what, { recursive: true, force: true, maxRetries: 5, retryDelay: ROUND_MS });
}

if (process.argv[1] === import.meta.filename) {
  const left = new Set<string>();
  for await (const line of createInterface(process.stdin)) {
    if (line.startsWith('+ ')) left.add(line.slice(2));
    else left.delete(line.slice(2));
  }
  if (left.size > 0) await clearUp(left);
}
