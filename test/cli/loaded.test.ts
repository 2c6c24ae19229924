/**
 * How much a command loads before it answers: each module costs about half a millisecond, which is what a start is made of.
 * Counted, since no clock of a busy machine tells it. The limits are round, a few modules above what is loaded: an import
 * by mistake brings dozens, and a new file is no fault.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { SOURCE, TestTown, until } from './town.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'programs/loaded.ts')).href;

interface Loaded {
  /** Modules of this project. */
  readonly own: number;
  /** Names of packages. */
  readonly packages: readonly string[];
}

function loadedIn(file: string): Loaded {
  const urls = [...new Set(readFileSync(file, 'utf8').trim().split('\n'))].filter((url) => url !== PRELOAD);
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  const own = urls.filter((url) => url.startsWith('file:') && !url.includes('/node_modules/')).length;
  return { own, packages: [...new Set(packages)].sort() };
}

/** In an environment of its own: what the command starts loads nothing of this. */
const watched = (file: string) => ({ LOADED_MODULES: file, NODE_OPTIONS: `--import=${PRELOAD}` });

async function loaded(town: TestTown, words: readonly string[]): Promise<Loaded & { readonly code: number | null }> {
  const file = join(town.home, ['loaded', ...words].join('-'));
  const { code } = await town.bare(['--root', town.root, ...words], { env: watched(file), main: SOURCE });
  return { code, ...loadedIn(file) };
}

test('status, and a bare town, load no package and little of ours', async () => {
  const town = await new TestTown().up();
  const status = await loaded(town, ['status']);
  expect([status.code, status.packages]).toEqual([0, []]);
  expect(status.own).toBeLessThanOrEqual(55);
  const bare = await loaded(town, []);
  expect([bare.code, bare.packages]).toEqual([0, []]);
  expect(bare.own).toBeLessThanOrEqual(55);
});

test('up loads neither the tree of commands nor what starts programs for others; watch no execa', async () => {
  const town = new TestTown();
  town.tmux('new-session', '-d', '-s', 'mine', 'sleep', '100000');
  const up = await loaded(town, ['up']);
  expect([up.code, up.packages]).toEqual([0, ['smol-toml', 'zod']]);
  // Each part that has keys adds its settings: it reads the whole configuration.
  expect(up.own).toBeLessThanOrEqual(140);
  const watch = await loaded(town, ['watch', '--once', '--all']);
  expect([watch.code, watch.packages]).toEqual([0, ['commander', 'smol-toml', 'zod']]);
});

test('a town that is ready and quiet has loaded neither commander nor execa', async () => {
  const town = new TestTown();
  town.tmux('new-session', '-d', '-s', 'mine', 'sleep', '100000');
  const file = join(town.home, 'daemon');
  const words = [SOURCE, '--root', town.root, 'daemon', 'run'];
  const child = spawn(process.execPath, words, { env: town.env(watched(file)), stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until(async () => (await town.run('status')).code === 0);
  child.kill('SIGTERM');
  await ended;
  const { packages } = loadedIn(file);
  expect(packages).toContain('xstate');
  expect(packages.filter((name) => ['commander', 'execa', 'figures'].includes(name))).toEqual([]);
});
