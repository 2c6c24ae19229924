/** What is no file where a file of daemon/ goes: put away and told, or refused in one sentence; and no running process is lost sight of. */
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startTown } from '../../src/guard/start.ts';
import { stopTown } from '../../src/guard/stop.ts';
import { codeOf } from '../../state/files/disk.ts';
import { isAlive, newYard, WAIT, type Yard } from './yard.ts';

const PLACES = ['daemon.pid', 'guard.json', 'stopped'] as const;
const place = (yard: Yard, name: string): string => join(yard.root, 'daemon', name);
const block = (yard: Yard, name: string): void => {
  try {
    rmSync(place(yard, name), { force: true });
    mkdirSync(join(place(yard, name), 'inner'), { recursive: true });
  } catch (error) {
    // A guard that lives was faster: it wrote its file again in between.
    if (codeOf(error) !== 'ENOTDIR') throw error;
    block(yard, name);
  }
};
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

test('before a start they go to quarantine, with their reason, and the town comes up', async () => {
  const yard = newYard();
  for (const name of PLACES) block(yard, name);
  const said: string[] = [];
  await startTown(yard.settings, { command: yard.command, say: (text) => said.push(text) });
  expect(said).toEqual([
    expect.stringMatching(/^daemon\/stopped: it is a folder where a file goes\. It is kept in quarantine\/\S+\.$/),
  ]);
  await vi.waitFor(() => expect(PLACES.map((name) => isFile(place(yard, name)))).toEqual([true, true, false]), WAIT);
  const kept = readdirSync(join(yard.root, 'quarantine'));
  for (const name of PLACES) {
    expect(kept.filter((one) => one.endsWith(name))).toHaveLength(1);
    expect(kept.filter((one) => one.endsWith(`${name}.why`))).toHaveLength(1);
  }
  expect(yard.guardLog()).not.toContain('EISDIR');
});

test('in the place of guard.json while a guard lives: it takes its place back', async () => {
  const yard = newYard();
  const { guardPid } = await yard.up();
  block(yard, 'guard.json');
  await vi.waitFor(() => expect(isFile(place(yard, 'guard.json'))).toBe(true), WAIT);
  expect(JSON.parse(readFileSync(place(yard, 'guard.json'), 'utf8'))).toMatchObject({ pid: guardPid });
});

test('down ends town and guard that no record names any more', async () => {
  const yard = newYard({ watchEveryMs: 60_000 });
  const { pid, guardPid } = await yard.up();
  for (const name of PLACES) block(yard, name);
  const said: string[] = [];
  expect(await stopTown(yard.settings, { say: (text) => said.push(text) })).toMatchObject({ pid, guardPid, left: [] });
  expect(said).toHaveLength(1);
  expect(isAlive(pid) || isAlive(guardPid!)).toBe(false);
  expect(isFile(place(yard, 'stopped'))).toBe(true);
});

const KINDS: Readonly<Record<string, (path: string) => void>> = {
  'a folder': (path) => void mkdirSync(join(path, 'inner'), { recursive: true }),
  'a pipe': (path) => expect(spawnSync('mkfifo', [path]).status).toBe(0),
  'a link to a pipe': (path) => {
    expect(spawnSync('mkfifo', [`${path}.pipe`]).status).toBe(0);
    symlinkSync(`${path}.pipe`, path);
  },
  'a link that leads nowhere': (path) => symlinkSync('nowhere/at/all', path),
};
const kinds = Object.keys(KINDS);
const stand = (yard: Yard, kind: string, name: string): void => {
  mkdirSync(join(yard.root, 'daemon'), { recursive: true });
  KINDS[kind]?.(place(yard, name));
};

test.each(kinds)('%s in the place of a log or the socket costs no start: it is put away, and told', async (kind) => {
  const yard = newYard();
  const blocked = ['guard.log', 'daemon.log', 'deaths.log', 'town.sock'] as const;
  for (const name of blocked) stand(yard, kind, name);
  const said: string[] = [];
  const { pid } = await startTown(yard.settings, { command: yard.command, say: (text) => said.push(text) });
  expect(isAlive(pid)).toBe(true);
  expect(said).toEqual([expect.stringMatching(/^daemon\/guard\.log: it is .*\. It is kept in quarantine\/\S+\.$/)]);
  const kept = readdirSync(join(yard.root, 'quarantine'));
  for (const name of blocked) expect([name, kept.some((one) => one.endsWith(name))]).toEqual([name, true]);
  for (const name of blocked.slice(1)) expect(yard.guardLog()).toContain(`daemon/${name}: it is `);
  expect(isFile(place(yard, 'daemon.log'))).toBe(true);
  expect(lstatSync(place(yard, 'town.sock')).isSocket()).toBe(true);
});

test.each(kinds)('%s in the place of daemon.pid blocks no start', async (kind) => {
  const yard = newYard();
  stand(yard, kind, 'daemon.pid');
  expect(await yard.status()).toBeNull();
  const { pid } = await yard.up();
  expect(JSON.parse(readFileSync(place(yard, 'daemon.pid'), 'utf8'))).toMatchObject({ pid });
});

const LOCKS = ['lock.db', 'guard-lock.db'].flatMap((name) => kinds.map((kind) => [kind, name] as const));
test.each(LOCKS)(
  '%s in the place of %s: one sentence, no process left behind, and a start once it is gone',
  async (kind, name) => {
    const yard = newYard();
    stand(yard, kind, name);
    await expect(yard.up()).rejects.toMatchObject({
      exit: 5,
      message: expect.stringMatching(
        new RegExp(
          `^the town could not be started: ${place(yard, name)} is not a regular file: move it away, .* \\(all of it: \\S+\\)$`,
        ),
      ) as string,
    });
    expect(isFile(place(yard, 'guard.json')) || isFile(place(yard, 'daemon.pid'))).toBe(false);
    expect(yard.guardLog()).not.toMatch(/^\s+at /m);
    rmSync(place(yard, name), { recursive: true });
    await yard.up();
  },
);
