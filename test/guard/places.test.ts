/** Folders where daemon.pid, guard.json and the latch go: put away and told, and nobody who runs is lost sight of. */
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startTown } from '../../src/guard/start.ts';
import { stopTown } from '../../src/guard/stop.ts';
import { isAlive, newYard, type Yard } from './yard.ts';

const PLACES = ['daemon.pid', 'guard.json', 'stopped'] as const;
const place = (yard: Yard, name: string): string => join(yard.root, 'daemon', name);
const block = (yard: Yard, name: string): void => {
  rmSync(place(yard, name), { force: true });
  mkdirSync(join(place(yard, name), 'inner'), { recursive: true });
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
  await vi.waitFor(() => expect(PLACES.map((name) => isFile(place(yard, name)))).toEqual([true, true, false]));
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
  await vi.waitFor(() => expect(isFile(place(yard, 'guard.json'))).toBe(true), { timeout: 25_000 });
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
