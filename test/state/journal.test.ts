import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { Journal, readJournal, type JournalFilter } from '../../state/journal.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { freshFolder } from '../world/over.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1, 12);
const line = (n: number, at = START, more: object = {}) => ({ at, kind: 'test.happened', n, ...more });

async function read(sim: SimDisk, filter?: JournalFilter): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const one of readJournal(sim.mount(), filter)) found.push(one['n']);
  return found;
}
const quarantineOn = (disk: Disk, onRefused: (refused: Refused) => void = () => undefined) =>
  new Quarantine({ disk, wall: () => START, onRefused });
const journalOn = (sim: SimDisk, policy = {}) => {
  const disk = sim.mount();
  return new Journal({ disk, quarantine: quarantineOn(disk), policy: { ...STATE, ...policy } });
};

describe('the journal', () => {
  test('keeps what was acknowledged, in order, also when calls overlap', async () => {
    const sim = new SimDisk();
    const journal = journalOn(sim);
    await Promise.all([journal.append([line(1), line(2)]), journal.append([line(3)]), journal.append([])]);
    sim.crash(() => true);
    expect(await read(sim)).toEqual([1, 2, 3]);
    expect(sim.files().get('journal/2026-01-01.jsonl')).toContain('"at":"2026-01-01T12:00:00.000Z"');
  });

  test('a part that others may write stays, is told once by its name, and the lines go into the next part', async () => {
    const root = freshFolder();
    mkdirSync(join(root, FOLDERS.journal), { recursive: true });
    const disk = realDisk(root, 1);
    const refused: Refused[] = [];
    const options = { disk, quarantine: quarantineOn(disk, (one) => refused.push(one)), policy: STATE };
    const journal = new Journal(options);
    await journal.append([line(1)]);
    chmodSync(join(root, FOLDERS.journal, '2026-01-01.jsonl'), 0o666);
    await journal.append([line(2)]);
    await journal.append([line(3)]);
    expect(refused).toMatchObject([{ file: 'journal/2026-01-01.jsonl', movedTo: null }]);
    expect(refused[0]?.why).toContain('0666');
    // Once a person has put its mode right, all lines are there, in their order.
    chmodSync(join(root, FOLDERS.journal, '2026-01-01.jsonl'), 0o600);
    await journal.append([line(4)]);
    const found = (await Array.fromAsync(readJournal(disk))).map(({ n }) => n);
    expect(found).toEqual([1, 2, 3, 4]);
  });

  // Rules: law 11.
  test('its file shows what is invisible, and loses none of it', async () => {
    const sim = new SimDisk();
    const text = 'pay\u202e now\u200b\u2028 \u{e0041}';
    await journalOn(sim).append([line(1, START, { text })]);
    const file = String(sim.files().get('journal/2026-01-01.jsonl'));
    expect(file).toContain('pay\\u202e now\\u200b\\u2028 \\udb40\\udc41');
    expect(file).not.toMatch(/[\u200b\u202e\u2028]|\udb40/);
    const [read] = await Array.fromAsync(readJournal(sim.mount()));
    expect(read?.['text']).toBe(text);
  });

  test('is filtered by session and time', async () => {
    const sim = new SimDisk();
    const journal = journalOn(sim);
    await journal.append([line(1, START, { session: 'a' }), line(2, START + 1, { session: 'b' })]);
    await journal.append([line(3, START + DAY, { session: 'a' })]);
    expect(await read(sim, { session: 'a' })).toEqual([1, 3]);
    expect(await read(sim, { since: START + 1 })).toEqual([2, 3]);
    expect(await read(sim, { since: START + DAY + 1 })).toEqual([]);
  });

  test('goes on after a torn line, which is left out', async () => {
    const sim = new SimDisk();
    await journalOn(sim).append([line(1)]);
    sim.put('journal/2026-01-01.jsonl', `${sim.files().get('journal/2026-01-01.jsonl')!}{"at":"2026-01-0`);
    await journalOn(sim).append([line(2)]);
    expect(await read(sim)).toEqual([1, 2]);
  });

  test('rejects what may not be durable, and takes it again', async () => {
    const sim = new SimDisk();
    const journal = journalOn(sim);
    await journal.append([line(1)]);
    sim.fault = (operation) => (operation === 'append' ? systemError('ENOSPC') : undefined);
    await expect(journal.append([line(2)])).rejects.toThrow('ENOSPC');
    sim.fault = undefined;
    await journal.append([line(2)]);
    expect(await read(sim)).toEqual([1, 2]);
  });

  // Rules: P-16.
  test('keeps so many days and so many bytes, the oldest go', async () => {
    const sim = new SimDisk();
    const days = journalOn(sim, { journalDays: 3 });
    for (let day = 0; day < 6; day += 1) await days.append([line(day, START + day * DAY)]);
    expect(await read(sim)).toEqual([3, 4, 5]);

    const loud = new SimDisk();
    const journal = journalOn(loud, { journalBytes: 10_000, journalDays: 10 });
    for (let n = 0; n < 1_000; n += 1) await journal.append([line(n)]);
    const bytes = [...loud.files().values()].reduce((sum, text) => sum + text.length, 0);
    expect(bytes).toBeLessThanOrEqual(10_500);
    const left = await read(loud);
    expect(left.at(-1)).toBe(999);
    expect(left).toEqual(Array.from({ length: left.length }, (_, i) => 1_000 - left.length + i));
  });

  test('keeps its order when the clock is put back', async () => {
    const sim = new SimDisk();
    const journal = journalOn(sim);
    await journal.append([line(1, START + DAY)]);
    await journal.append([line(2, START)]);
    await journalOn(sim).append([line(3, START)]);
    expect(await read(sim)).toEqual([1, 2, 3]);
  });

  test('is read whole while it is written', async () => {
    const root = freshFolder();
    const disk = realDisk(root, 0);
    await disk.mkdir(FOLDERS.journal);
    const journal = new Journal({ disk, quarantine: quarantineOn(disk), policy: STATE });
    const written = new AbortController();
    const writing = (async () => {
      for (let n = 0; n < 500; n += 1) await journal.append([line(n)]);
      written.abort();
    })();
    for (let most = 0; !written.signal.aborted;) {
      const found: unknown[] = [];
      for await (const one of readJournal(disk)) found.push(one['n']);
      expect(found).toEqual(found.map((_, n) => n));
      expect(found.length).toBeGreaterThanOrEqual(most);
      most = found.length;
    }
    await writing;
  });

  describe.each<[string, (path: string) => void]>([
    ['a folder', (path) => mkdirSync(join(path, 'full'), { recursive: true })],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a link', (path) => symlinkSync('/dev/null', path)],
  ])('%s in the place of a part', (_what, block) => {
    test.each([
      ["today's, before the first line", '2026-01-01', []],
      ["today's, while it is written", '2026-01-01', [line(0)]],
      ['an old one, which would go', '2025-01-01', []],
    ])('%s, is put away with a reason, and the journal goes on', async (_when, day, before) => {
      const root = freshFolder();
      const disk = realDisk(root, 0);
      for (const folder of [FOLDERS.journal, FOLDERS.quarantine]) await disk.mkdir(folder);
      const refused: Refused[] = [];
      const journal = new Journal({
        disk,
        policy: { ...STATE, journalDays: 1 },
        quarantine: quarantineOn(disk, (one) => refused.push(one)),
      });
      await journal.append(before);
      const path = `${FOLDERS.journal}/${day}.jsonl`;
      await disk.remove(path);
      block(join(root, path));
      // A line that is refused is given again.
      if (before.length > 0) await expect(journal.append([line(1)])).rejects.toThrow();
      await journal.append([line(1)]);
      expect(refused).toMatchObject([{ file: path, why: 'it is no file where the journal goes.' }]);
      expect((await disk.stat(refused[0]?.movedTo ?? ''))?.kind).not.toBe('file');
      const found: unknown[] = [];
      for await (const one of readJournal(disk)) found.push(one['n']);
      expect(found).toEqual([1]);
    });
  });

  test('what cannot be moved out of the place of a part is told once, and the lines go into the next part', async () => {
    const sim = new SimDisk();
    const disk = sim.mount();
    const refused: Refused[] = [];
    const quarantine = quarantineOn(disk, (one) => refused.push(one));
    sim.put('journal/2026-01-01.jsonl', '', 'folder');
    sim.fault = (operation, path) =>
      operation === 'rename' && path.startsWith('quarantine/') && !path.endsWith('.why')
        ? systemError('EXDEV')
        : undefined;
    for (const n of [1, 2]) await new Journal({ disk, quarantine, policy: STATE }).append([line(n)]);
    expect(refused).toMatchObject([{ file: 'journal/2026-01-01.jsonl', movedTo: null }]);
    expect(
      sim
        .files()
        .get('journal/2026-01-01.1.jsonl')
        ?.match(/"n":\d/g),
    ).toEqual(['"n":1', '"n":2']);
  });

  test('a part that cannot be read is named, and the rest is told', async () => {
    const sim = new SimDisk();
    await journalOn(sim).append([line(1)]);
    sim.put('journal/2025-12-31.jsonl', '', 'folder');
    await expect(read(sim)).rejects.toThrow('journal/2025-12-31.jsonl cannot be read');
    const named: string[] = [];
    expect(await read(sim, { onUnreadable: (sentence) => named.push(sentence) })).toEqual([1]);
    expect(named).toEqual([expect.stringMatching(/^journal\/2025-12-31\.jsonl cannot be read .*missing here$/)]);
  });
});
