/** A process whose program has begun: Node tells of it before that, while it has the words and the environment of its parent. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';

/** Its pid, once its program runs under this name. */
export async function begun(child: ChildProcess, name: string): Promise<number> {
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const first = (): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0', 1)[0] ?? '';
  await vi.waitFor(() => expect(first()).toBe(name), { timeout: 60_000, interval: 1 });
  return pid;
}
