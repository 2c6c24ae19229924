/** A town sees its successor by the epoch on disk, also where one look at it failed. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/ports/clock.ts';
import { EXIT } from '../../src/guard/exits.ts';
import { createSuccession } from '../../src/guard/succession.ts';
import type { Logger } from '../../src/ports/log.ts';
import { realDisk } from '../../state/files/disk.ts';
import { gone, isAlive, newYard } from './yard.ts';
import { tempFolder } from '../world/over.ts';

const SOON = { timeout: 120_000, interval: 10 };

/** A town of epoch 3 that looks every 10 ms; `reads` its file was read so often, `fail` the next so many fail. */
function watching(holds = () => Promise.resolve(true)) {
  const root = tempFolder('succession');
  mkdirSync(join(root, 'daemon'));
  const begin = (epoch: number): void => writeFileSync(join(root, 'daemon/epoch'), `${epoch}\n`);
  begin(3);
  const real = realDisk(root, 0);
  const seen = { reads: 0, looks: 0, fail: 0 };
  const disk: typeof real = Object.assign(Object.create(real) as typeof real, {
    stat: (path: string) => {
      seen.looks += 1;
      return real.stat(path);
    },
    read: (path: string, most: number) => {
      seen.reads += 1;
      return seen.fail-- > 0 ? Promise.reject(new Error('EIO')) : real.read(path, most);
    },
  });
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const logger = { fatal: () => undefined, warn: () => undefined } as unknown as Logger;
  const stop = new AbortController();
  const ended = createSuccession({ disk, clock: systemClock, logger, epoch: 3, everyMs: 10, holds }).watch(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
    exit.mockRestore();
  });
  return { begin, seen, exit, root };
}

test('its file is read once as long as it is the same, and a newer epoch ends the process', async () => {
  const { begin, seen, exit } = watching();
  await vi.waitUntil(() => seen.looks > 10, SOON);
  expect(seen.reads).toBe(1);
  expect(exit).not.toHaveBeenCalled();
  begin(4);
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(EXIT.superseded), SOON);
});

test('a read that fails is made again, though the file is the same', async () => {
  const { begin, seen, exit } = watching();
  await vi.waitUntil(() => seen.reads === 1 && seen.looks > 2, SOON);
  seen.fail = 2;
  begin(4);
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(EXIT.superseded), SOON);
  expect(seen.reads).toBeGreaterThanOrEqual(4);
});

// Rules: C-12.
test.each([
  ['removed', null],
  ['set back', 2],
])('an epoch that was %s is written anew under its lock, and by no process without it', async (_, epoch) => {
  let isHeld = false;
  const { begin, seen, exit, root } = watching(() => Promise.resolve(isHeld));
  const file = join(root, 'daemon/epoch');
  if (epoch === null) rmSync(file);
  else begin(epoch);
  const { looks } = seen;
  await vi.waitUntil(() => seen.looks > looks + 5, SOON);
  expect(existsSync(file) && Number(readFileSync(file, 'utf8'))).toBe(epoch ?? false);
  isHeld = true;
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(/^3 /), SOON);
  expect(exit).not.toHaveBeenCalled();
});

// Rules: C-12.
test('a town whose epoch is removed goes on under it, and may signal again', async () => {
  const yard = newYard({ successionEveryMs: 200 });
  const { pid, epoch } = await yard.up();
  const file = join(yard.root, 'daemon/epoch');
  rmSync(file);
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${String(epoch)} `)), SOON);
  expect(await yard.status()).toMatchObject({ pid, epoch });
});

test('where daemon/ is removed under a town, the next one is newer: the first and its guard go', async () => {
  const yard = newYard({ successionEveryMs: 200 });
  const first = await yard.up();
  rmSync(join(yard.root, 'daemon'), { recursive: true, force: true, maxRetries: 5 });
  const second = await yard.up();
  expect(second.pid).not.toBe(first.pid);
  expect(second.epoch).toBeGreaterThan(first.epoch);
  await gone(first.pid);
  await gone(first.guardPid!);
  expect(await yard.statusWhen((s) => s.guard_pid !== null)).toMatchObject({ pid: second.pid, epoch: second.epoch });
  expect(isAlive(second.guardPid!)).toBe(true);
});
