import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewsBody } from '../../../machines/protocol.ts';
import { watchDeaths, type DeathWatch, type DeathWatchOptions } from '../../../src/sessions/deaths.ts';
import { tempFolder } from '../../world/over.ts';

let path: string;
let heard: string[];
let servers: number[] = [];
const open: DeathWatch[] = [];
beforeEach(() => {
  path = join(tempFolder('deaths'), 'deaths.log');
  heard = [];
  servers = [];
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const announce = (news: NewsBody): void => {
  if (news.type !== 'SESSION_DIED') throw new Error(news.type);
  heard.push(`${news.paneId} ${Object.values(news.exit).join(' ')}`);
  servers.push(news.server);
};
async function start(options: Partial<DeathWatchOptions> = {}): Promise<void> {
  const empty = async (): Promise<void> => truncateSync(path, 0);
  open.push(await watchDeaths({ path, announce, pollMs: 20, maxBytes: 1_000, empty, ...options }));
}
async function until(truth: () => boolean): Promise<void> {
  while (!truth()) await pause(5);
}

test('what was written while the town was down is told at the start, then every complete line once', async () => {
  writeFileSync(path, '12 %1 s0 g\n12 %2 s g9\n12 %3 s');
  await start();
  expect(heard).toEqual(['%1 code 0', '%2 signal SIGKILL']);
  appendFileSync(path, '7 g\n12 %4 s g\n');
  await until(() => heard.length === 4);
  expect(heard.slice(2)).toEqual(['%3 code 7', '%4 unknown']);
});

test('the next start tells none of them again', async () => {
  writeFileSync(path, '12 %1 s0 g\n12 %2 s g9\n');
  await start();
  open.pop()?.close();
  appendFileSync(path, '12 %3 s0 g\n');
  await start();
  expect(heard).toEqual(['%1 code 0', '%2 signal SIGKILL', '%3 code 0']);
});

test('a file that is not there yet, and lines that are none of ours', async () => {
  const troubles: unknown[] = [];
  await start({ trouble: (why) => troubles.push(why) });
  appendFileSync(path, 'nonsense\n%1 s0 g\n12 %1 s0 g x\n\0\n12 %5 s0 g\n');
  await until(() => heard.length === 1);
  expect(heard).toEqual(['%5 code 0']);
  expect(troubles).toEqual([]);
});

test('a file that was cut off is read from its beginning', async () => {
  writeFileSync(path, '12 %1 s0 g\n12 %2 s0 g\n');
  await start();
  truncateSync(path, 0);
  appendFileSync(path, '12 %3 s0 g\n');
  await until(() => heard.includes('%3 code 0'));
  expect(heard).toHaveLength(3);
});

test('a file larger than allowed is told and then emptied, and so is a line without an end', async () => {
  writeFileSync(path, `${'12 %1 s0 g\n'.repeat(300)}${'x'.repeat(2_000)}\n12 %2 s0 g\n`);
  await start();
  expect(heard).toHaveLength(301);
  appendFileSync(path, '12 %3 s0 g\n');
  await until(() => heard.includes('%3 code 0'));
  expect(heard).toHaveLength(302);
});

test('a death names its server: pane ids begin anew with each', async () => {
  writeFileSync(path, '11 %1 s0 g\n12 %1 s1 g\n');
  await start();
  expect(heard).toEqual(['%1 code 0', '%1 code 1']);
  expect(servers).toEqual([11, 12]);
});

test('a file that cannot be read is told once, and its recovery once', async () => {
  const troubles: (string | null)[] = [];
  writeFileSync(path, '12 %1 s0 g\n');
  let full = true;
  const empty = async (): Promise<void> => {
    if (full) throw new Error('disk full');
  };
  await start({ trouble: (why) => troubles.push(why), empty, maxBytes: 5 });
  expect(troubles).toEqual([expect.stringContaining('disk full')]);
  full = false;
  await until(() => troubles.length === 2);
  expect(troubles[1]).toBeNull();
});
