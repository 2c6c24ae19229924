/** A disk with little room in the place of a folder, where this user may mount one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

export function mayMount(): boolean {
  const words = ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'];
  return process.getuid?.() === 0 && spawnSync('unshare', words, { stdio: 'ignore' }).status === 0;
}

/** `size`: as of tmpfs. */
export async function withSmallDisk(folder: string, size: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder]);
  try {
    await work();
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
}
