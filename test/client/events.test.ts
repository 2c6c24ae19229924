/** The stream of events against journals as a town writes them, however they are cut. */
import fc from 'fast-check';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../src/client/events.ts';
import { CLIENT } from '../../src/client/policy.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { STATE } from '../../state/files/policy.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { Journal, type JournalLine } from '../../state/journal.ts';
import { systemError } from '../world/disk.ts';
import { tempFolder } from '../world/over.ts';

const COUNT = 10_000;
const AT = Date.UTC(2026, 0, 2);
const line = (n: number): string => `${JSON.stringify({ at: '2026-01-02T00:00:00.000Z', kind: 'counted', n })}\n`;
const partOf = (n: number): string => `2026-01-0${2 + Math.floor(n / 4_000)}${n % 4_000 < 2_000 ? '' : '.1'}.jsonl`;

function journal() {
  const root = tempFolder('town-client');
  mkdirSync(join(root, 'journal'));
  const append = (part: string, text: string): void => appendFileSync(join(root, 'journal', part), text);
  const disk = realDisk(root, 0);
  const read = async (count: number, after: string): Promise<{ n: number; cursor: string }[]> => {
    const stop = new AbortController();
    const seen: { n: number; cursor: string }[] = [];
    for await (const { n, cursor } of eventsOf(disk, root, { after, signal: stop.signal })) {
      seen.push({ n: n as number, cursor });
      if (seen.length === count) stop.abort();
    }
    return seen;
  };
  return { append, read, disk, root };
}

test('ten thousand events that come while they are read, over four parts, arrive in their order, none lost or twice', async () => {
  const { append, read } = journal();
  append(partOf(0), line(0));
  const reading = read(COUNT, 'start');
  for (let n = 1; n < COUNT; n += 1) {
    // A write may end within a line.
    const text = line(n);
    const cut = n % 7 === 0 ? text.length - 5 : text.length;
    append(partOf(n), text.slice(0, cut));
    if (n % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    append(partOf(n), text.slice(cut));
  }
  expect((await reading).map(({ n }) => n)).toEqual(Array.from({ length: COUNT }, (_, n) => n));
});

test('a stream that ends anywhere goes on behind its last event', async () => {
  const { append, read } = journal();
  for (let n = 0; n < COUNT; n += 500) append(partOf(n), line(n));
  const all = await read(COUNT / 500, 'start');
  await fc.assert(
    fc.asyncProperty(fc.nat(all.length - 2), async (at) => {
      const left = all.slice(at + 1);
      expect(await read(left.length, all[at]!.cursor)).toEqual(left);
    }),
    { numRuns: 20 },
  );
});

test('a stream whose part goes before it was read says so, and passes nothing over in silence', async () => {
  const { append, disk, root } = journal();
  append(partOf(0), line(0));
  append(partOf(2_000), line(1));
  const events = eventsOf(disk, root, { after: 'start' });
  expect((await events.next()).value).toMatchObject({ n: 0 });
  append(partOf(4_000), line(2));
  for (const part of [partOf(0), partOf(2_000)]) rmSync(join(root, 'journal', part));
  await expect(events.next()).rejects.toMatchObject({ exit: 3, code: 'cursor_gone' });
});

test('a line that a crash tore is left out, and what follows it is whole', async () => {
  const { append, read } = journal();
  append(partOf(0), `${line(0)}{"at":"2026-01-02T00:00:00.000Z","ki`);
  append(partOf(0), `\n${line(1)}not JSON\n[]\n${line(2)}`);
  expect((await read(3, 'start')).map(({ n }) => n)).toEqual([0, 1, 2]);
});

test('a part that stays unreadable ends the stream by its name, and nothing behind it is told in its place', async () => {
  const { append, disk, root } = journal();
  append(partOf(0), line(0));
  append(partOf(2_000), line(1));
  append(partOf(4_000), line(2));
  chmodSync(join(root, 'journal', partOf(2_000)), 0o666);
  const events = eventsOf(disk, root, { after: 'start' });
  expect((await events.next()).value).toMatchObject({ n: 0 });
  const next = `${partOf(4_000)}:0`;
  await expect(events.next()).rejects.toMatchObject({
    code: 'journal_unread',
    message: expect.stringMatching(`journal/${partOf(2_000)}.*${next}`) as string,
  });
  expect((await eventsOf(disk, root, { after: next }).next()).value).toMatchObject({ n: 2 });
});

test('a stream that begins now leaves out what was written, also where the first look fails', async () => {
  const { append, read, root } = journal();
  append(partOf(0), line(0) + line(1));
  const path = join(root, 'journal', partOf(0));
  chmodSync(path, 0o666);
  const reading = read(1, 'now');
  await pause(2 * CLIENT.againMs);
  chmodSync(path, 0o600);
  await pause(3 * CLIENT.againMs);
  append(partOf(0), line(2));
  expect(await reading).toEqual([{ n: 2, cursor: `${partOf(0)}:3` }]);
});

describe('what a failed append wrote and the town writes again', () => {
  const counted = (n: number): JournalLine => ({ at: AT, kind: 'counted', n });
  const many = 3 * CLIENT.keptLines;

  function failing() {
    const all = journal();
    const { disk } = all;
    const faults = { left: 0 };
    const append: Disk['append'] = async (path, text, whole) => {
      await disk.append(path, text, whole);
      if (text === '' || faults.left === 0) return;
      faults.left -= 1;
      throw systemError('ENOSPC');
    };
    const quarantine = new Quarantine({ disk, wall: () => AT, onRefused: () => undefined });
    return { ...all, faults, writer: new Journal({ disk: { ...disk, append }, quarantine, policy: STATE }) };
  }

  test.each([
    { what: 'a short part', before: 1, after: 'start' },
    { what: 'a part of more lines than are known again', before: many, after: 'start' },
    { what: 'a short part, from now on', before: 1, after: 'now' },
    { what: 'a part of more lines than are known again, from now on', before: many, after: 'now' },
  ])('comes once in $what', async ({ before, after }) => {
    const { read, root, faults, writer } = failing();
    const numbers = Array.from({ length: before + 3 }, (_, n) => n);
    await writer.append(numbers.slice(0, before).map(counted));
    const wanted = after === 'now' ? numbers.slice(before) : numbers;
    const reading = read(wanted.length, after);
    await pause(3 * CLIENT.againMs);
    faults.left = 2;
    const [first, second, last] = numbers.slice(before) as [number, number, number];
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(writer.append([counted(first), counted(second)])).rejects.toThrow('ENOSPC');
      await pause(2 * CLIENT.againMs);
    }
    await writer.append([counted(first), counted(second)]);
    await writer.append([counted(last)]);
    expect(await reading).toEqual(wanted.map((n) => ({ n, cursor: `2026-01-02.jsonl:${n + 1}` })));
    const text = readFileSync(join(root, 'journal', '2026-01-02.jsonl'), 'utf8');
    expect(text.split('\n').flatMap((row) => (row === '' ? [] : [(JSON.parse(row) as { n: number }).n]))).toEqual(
      numbers,
    );
  });

  test('comes as it stands at last, where other lines take its place', async () => {
    const { read, faults, writer } = failing();
    await writer.append([counted(0)]);
    const reading = read(3, 'now');
    await pause(3 * CLIENT.againMs);
    faults.left = 1;
    await expect(writer.append([counted(1)])).rejects.toThrow('ENOSPC');
    await pause(3 * CLIENT.againMs);
    await writer.append([counted(2), counted(3)]);
    expect((await reading).map(({ n }) => n)).toEqual([1, 2, 3]);
  });
});
