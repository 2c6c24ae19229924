/** The project's own scripts say how they are used, and refuse what they do not know. */
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { ROOT } from './planted.ts';

const SCRIPTS = [
  ['agents', 'test/agents/main.ts'],
  ['sim', 'test/sim/main.ts'],
  ['bench', 'test/bench/main.ts'],
  ['measure', 'scripts/measure.ts'],
] as const;
const run = (path: string, word: string) =>
  execa(process.execPath, [join(ROOT, path), word], {
    reject: false,
    extendEnv: false,
    env: { PATH: process.env['PATH'] ?? '' },
  });

test.each(SCRIPTS)('npm run %s -- --help prints its usage and runs nothing', async (name, path) => {
  const { exitCode, stdout, stderr } = await run(path, '--help');
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(new RegExp(`^npm run ${name}`));
});

test.each(SCRIPTS)('npm run %s refuses an unknown option in one sentence', async (_, path) => {
  const { exitCode, stdout, stderr } = await run(path, '--nope');
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toBe("Unknown option '--nope'. See --help.");
});
