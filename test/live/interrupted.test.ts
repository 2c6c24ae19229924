/** A run of the tests that is interrupted leaves no process, socket or folder. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BUILDS } from '../../scripts/test-run.ts';
import { orNull } from '../../state/files/or-null.ts';
import { until } from '../cli/town.ts';
import { tempFolder } from '../world/over.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Case {
  readonly what: string;
  readonly script: string;
  readonly words: readonly string[];
  /** Whether the tests are in the middle, with all that they have open. */
  readonly isOpen: (folder: string) => boolean;
  /** How many runs of the test runner began by then. */
  readonly runs: number;
}

const has = (folder: string, pattern: string): boolean => globSync(pattern, { cwd: folder }).length > 0;

/** Living processes that have the folder in their words, their environment or as their working folder. */
function processesOf(folder: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    const texts = ['cmdline', 'environ'].map(
      (name) => orNull(() => readFileSync(`/proc/${pid}/${name}`, 'utf8')) ?? '',
    );
    return [...texts, orNull(() => readlinkSync(`/proc/${pid}/cwd`)) ?? ''].some((text) => text.includes(folder));
  });
}

/** Whether files of the project are played. Only workers of live tests have a smaller heap (vitest.config.ts). */
function isPlayed(folder: string, project: 'live' | 'pure'): boolean {
  const words = processesOf(folder).map((pid) => orNull(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '');
  const workers = words.filter((line) => line.includes('/vitest/dist/workers/'));
  return workers.some((line) => line.includes('--max-semi-space-size') === (project === 'live'));
}

test.each<Case>([
  {
    what: '`npm test`, its pure tests beside its live ones',
    script: 'quick-tests.ts',
    words: ['test/sim', 'test/properties'],
    isOpen: (folder) => isPlayed(folder, 'pure') && isPlayed(folder, 'live'),
    runs: 2,
  },
  {
    what: 'live tests with a guard, a town, agents and tmux servers',
    script: 'all-tests.ts',
    words: ['test/live/town.test.ts', 'test/tmux/door.test.ts', 'test/guard/process.test.ts'],
    isOpen: (folder) =>
      has(folder, 'tests-*/town-cli-*/root/sessions/*.json') &&
      has(folder, 'tests-*/tmux-*/s') &&
      has(folder, '*/guard-*'),
    runs: 1,
  },
])('$what', async ({ script, words, isOpen, runs }) => {
  const folder = tempFolder('interrupted');
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const env = { ...Object.fromEntries(inherited), TMPDIR: folder };
  // In a process group of its own, as a shell starts a command.
  const child = spawn(process.execPath, [join(ROOT, 'scripts', script), ...words], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = child.pid ?? 0;
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  let hasEnded = false;
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve)).finally(() => (hasEnded = true));
  onTestFinished(() => {
    if (!hasEnded) process.kill(-group, 'SIGINT');
  });

  await until(() => hasEnded || isOpen(folder));
  expect(hasEnded, said).toBe(false);
  const [name = ''] = readdirSync(folder);
  process.kill(-group, 'SIGINT');
  expect(await ended, said).toBe(130);
  expect(name).toMatch(/^tests-/);
  expect(readdirSync(folder)).toEqual([]);
  expect(processesOf(folder)).toEqual([]);
  expect(existsSync(join(BUILDS, name))).toBe(false);
  expect(said.match(/ RUN /g)).toHaveLength(runs);
});
