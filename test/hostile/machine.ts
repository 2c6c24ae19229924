/** A town on a machine that can be made bad (`faults.ts`). */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveTown } from '../crash/live.ts';
import type { Killer } from '../crash/strike.ts';
import { inject } from 'vitest';

const MAIN = inject('main');
const FAULTS = join(import.meta.dirname, 'faults.ts');

/** Starts the program so that `setFaults` reaches it. */
export const faulty: Killer = {
  by: 'preload',
  start: (words, env) =>
    spawn(process.execPath, ['--import', FAULTS, MAIN, ...words], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
};

/** What is wrong from now on; nothing = all is well. */
export function setFaults(town: LiveTown, ...words: readonly ('slow' | 'full' | 'later' | 'earlier')[]): void {
  const file = join(town.cli.home, 'faults');
  if (words.length === 0) rmSync(file, { force: true });
  else writeFileSync(file, words.join(' '));
}
