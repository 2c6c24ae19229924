/** Folders, pipes and links where the files of daemon/ go, under a real town: it comes up, tells of each, and loses nothing. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveTown, until } from '../crash/live.ts';

const folder = (path: string): void => void mkdirSync(join(path, 'inner'), { recursive: true });
const pipe = (path: string): void => expect(spawnSync('mkfifo', [path]).status).toBe(0);
const link = (path: string): void => symlinkSync('nowhere/at/all', path);

/** Told as alerts; the others hold nothing that anybody misses. */
const TOLD = ['secret', 'epoch', 'daemon.log', 'deaths.log', 'town.sock', 'town.toml.good'] as const;

/** Of alerts of one kind so many are named; the others are one alert with their count. */
const MOST_NAMED = 5;

async function startsOver(kind: (path: string) => void, told: readonly string[]): Promise<void> {
  await using town = new LiveTown();
  mkdirSync(join(town.root, 'daemon'));
  for (const name of [...TOLD, 'daemon.pid', 'cache']) kind(join(town.root, 'daemon', name));
  const down = await town.cli.run('status');
  expect([down.code, down.stderr]).toEqual([3, '']);
  const life = await town.up();
  const alerts = async (): Promise<string> => (await town.cli.run('alerts', 'list')).stdout;
  await until(async () => {
    const listed = await alerts();
    const named = told.filter((name) => listed.includes(`daemon/${name} does not count: `));
    return named.length >= Math.min(told.length, MOST_NAMED);
  });
  await town.agent('agent', ['sleep', '1000']);
  expect((await town.cli.run('status')).code).toBe(0);
  expect(life.end()).toBeNull();
  expect((await town.down(life)).code).toBe(0);
}

test('folders', () => startsOver(folder, TOLD));
// A last good configuration that is a pipe or a link holds no text of ours: it is written over.
const REPLACED = TOLD.filter((name) => name !== 'town.toml.good');
test('pipes', () => startsOver(pipe, REPLACED));
test('links that lead nowhere', () => startsOver(link, REPLACED));

test('where daemon/ is no folder, and where its log is none, each command says so in one sentence', async () => {
  await using town = new LiveTown();
  const words = ['up', 'down', 'daemon run'] as const;
  town.cli.write('daemon', 'a note');
  for (const one of words) {
    const { code, stderr } = await town.cli.run(...one.split(' '));
    expect([one, code]).toEqual([one, 2]);
    expect(stderr).toMatch(/^[^\n]*\/daemon is a file where a folder of the town goes; move it away[^\n]*\n$/);
  }
  expect(await town.cli.run('status')).toMatchObject({ code: 3, stderr: '' });
});

test.each([folder, pipe])('a log that is none is not waited for: %o', async (kind) => {
  await using town = new LiveTown();
  mkdirSync(join(town.root, 'daemon'));
  kind(join(town.root, 'daemon/daemon.log'));
  expect(await town.cli.run('daemon', 'logs')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^town: \S+daemon\.log is no plain file; `town restart` [^\n]+\n$/) as string,
  });
});
