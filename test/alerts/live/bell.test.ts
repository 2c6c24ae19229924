/** The door to a person's command, over real files and real processes: one start for a cause and window, and no first notice lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { NOTIFY } from '../../../machines/alerts/policy.ts';
import { Bell, causeOf } from '../../../src/alerts/bell.ts';
import type { Notice } from '../../../src/alerts/notify.ts';
import { Spool } from '../../../state/channels/spool.ts';
import { realDisk, type Disk } from '../../../state/files/disk.ts';
import { TestTown } from '../../cli/town.ts';
import { tempFolder, whenOver } from '../../world/over.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const WINDOW = NOTIFY.windowMs;
const CAUSE = causeOf('flood');
const notice = (text: string): Notice => ({ schema: 'notice/1', kind: 'alert', text, at: '2026-01-01' });

class House {
  readonly root = tempFolder('bell');
  readonly #heard = join(this.root, 'heard');
  now = NOW;

  /** As another process has it. */
  bell({ disk = realDisk(this.root, 0), command = this.command }: { disk?: Disk; command?: string[] } = {}): Bell {
    return new Bell({ root: this.root, disk, command, channels: false, limitMs: 10_000, wall: () => this.now });
  }
  get command(): string[] {
    return ['sh', '-c', 'cat >> "$0"', this.#heard];
  }
  heard(): string[] {
    const text = existsSync(this.#heard) ? readFileSync(this.#heard, 'utf8') : '';
    return text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Notice).text]));
  }
}

// Rules: law 8.
test('many that ring at once, each with a view of its own, are one start and then one with the count', async () => {
  const house = new House();
  await Promise.all(Array.from({ length: 20 }, (_, nth) => house.bell().ring(notice(`n${nth}`), CAUSE)));
  expect(house.heard()).toHaveLength(1);
  house.now += WINDOW;
  await Promise.all(Array.from({ length: 5 }, () => house.bell().ringLate()));
  expect(house.heard()[1]).toMatch(/^19 notices of one cause: n\d/);
  house.now += 10 * WINDOW;
  await house.bell().ringLate();
  expect(house.heard()).toHaveLength(2);
});

test('letters of one sender by as many processes: one start', async () => {
  const town = new TestTown();
  const heard = join(town.home, 'heard');
  town.configure(`[notify]\ncommand = ${JSON.stringify(['sh', '-c', 'cat >> "$0"', heard])}\n`);
  town.session('builder');
  const sent = Array.from({ length: 6 }, (_, nth) =>
    town.as('token-of-builder', 'mail', 'send', 'overseer', '--subject', `letter ${nth}`),
  );
  for (const one of await Promise.all(sent)) expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(heard, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(await town.data('status')).toMatchObject({ mail_count: 6 });
});

// Rules: law 8.
test('killed in the middle of its command: another process tells it at the end of the window', async () => {
  const house = new House();
  const started = join(house.root, 'started');
  const program = `
    const { Bell, causeOf } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/alerts/bell.ts'))});
    const { realDisk } = await import(${JSON.stringify(join(import.meta.dirname, '../../../state/files/disk.ts'))});
    const root = ${JSON.stringify(house.root)};
    const command = ['sh', '-c', 'echo $$ > "$0"; exec sleep 300', ${JSON.stringify(started)}];
    const bell = new Bell({ root, disk: realDisk(root, 1), command, channels: false, limitMs: 300_000, wall: () => ${NOW} });
    await bell.ring(${JSON.stringify(notice('first'))}, causeOf('flood'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  whenOver(() => child.kill('SIGKILL'));
  await vi.waitFor(() => expect(existsSync(started) && readFileSync(started, 'utf8')).toMatch(/^\d+\n$/), 60_000);
  child.kill('SIGKILL');
  process.kill(Number(readFileSync(started, 'utf8')), 'SIGKILL');
  await once(child, 'exit');
  await house.bell().ring(notice('second'), CAUSE);
  expect(house.heard()).toEqual([]);
  house.now += WINDOW;
  await house.bell().ringLate();
  expect(house.heard()).toEqual(['2 notices of one cause: first · second']);
});

// Rules: law 8.
test('a disk that is full swallows no first notice, makes no flood, and what waited is told', async () => {
  const house = new House();
  const real = realDisk(house.root, 0);
  let isFull = true;
  const full = (): Promise<never> => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  const disk: Disk = { ...real, write: (...words) => (isFull ? full() : real.write(...words)) };
  const bell = house.bell({ disk });
  for (const text of ['a', 'b', 'c']) await bell.ring(notice(text), CAUSE);
  expect(house.heard()).toEqual(['a']);
  house.now += WINDOW;
  isFull = false;
  await bell.ringLate();
  expect(house.heard()).toEqual(['a', '2 notices of one cause: b · c']);
});

test.each([
  ['no JSON', '{'],
  ['something else', '{"slots":{"flood":{"until":"never"}}}'],
  ['nothing', ''],
])('a file that holds %s says of no cause that it was told', async (_, text) => {
  const house = new House();
  const disk = realDisk(house.root, 0);
  await disk.mkdir('daemon');
  await disk.write('daemon/notices.json', text);
  await house.bell().ring(notice('a'), CAUSE);
  expect(house.heard()).toEqual(['a']);
});

test('a command that fails is said to each caller, and is tried again at the end of the window', async () => {
  const house = new House();
  expect(await house.bell({ command: ['false'] }).ring(notice('a'), CAUSE)).toContain('exit code 1');
  house.now += WINDOW;
  expect(await house.bell().ringLate()).toBe(null);
  expect(house.heard()).toEqual(['a']);
});

// Rules: law 8.
test('the spool of the channels gets each message once, also where the command fails', async () => {
  const house = new House();
  const disk = realDisk(house.root, 0);
  const bell = new Bell({
    root: house.root,
    disk,
    command: ['false'],
    channels: true,
    limitMs: 10_000,
    wall: () => house.now,
  });
  await bell.ring(notice('a'), CAUSE);
  for (let nth = 0; nth < 3; nth += 1) {
    house.now += 10 * WINDOW;
    await bell.ringLate();
  }
  const spool = new Spool(disk);
  expect((await spool.waiting()).map((one) => one.notice.text)).toEqual(['a']);
  for (let nth = 0; nth < 200; nth += 1) await bell.ring(notice(`n${nth}`), CAUSE);
  house.now += 30 * WINDOW;
  await bell.ringLate();
  const texts = (await spool.waiting()).map((one) => one.notice.text);
  expect(texts).toHaveLength(3);
  expect(texts.find((text) => text.startsWith('199 notices'))).toMatch(/and 194 more$/);
});
