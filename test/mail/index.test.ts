/** A large box is listed once, and again only after it changed: its index is a cache that is never believed against the folder. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import { MAIL_INDEX } from '../../state/mail/policy.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { tempFolder } from '../world/over.ts';

const LETTERS = MAIL_INDEX.least + 5;
const BOX = 'mail/overseer';
const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 1);

const idOf = (nth: number): string => `m-${FIRST + nth}-0`;
const textOf = (id: string): string => {
  const words = { id, from: 'nux', to: 'overseer', subject: id, body: '' };
  const flags = { via: 'agent', urgent: false, needs_response: false };
  return JSON.stringify({ schema: 'mail/1', ...words, sent_at: new Date(FIRST).toISOString(), ...flags });
};

/** A mailbox on a real disk whose listings are counted, by names given out. */
class Flood {
  readonly root = tempFolder('index');
  /** Names that were listed of each folder. */
  readonly listed = new Map<string, number>();
  readonly disk: Disk;
  /** The time that a look is given, wall ms. */
  now = Date.now();

  constructor(letters = LETTERS) {
    const real = realDisk(this.root, 0);
    this.disk = {
      ...real,
      list: async (dir) => {
        const names = await real.list(dir);
        this.listed.set(dir, (this.listed.get(dir) ?? 0) + names.length);
        return names;
      },
    };
    mkdirSync(this.at('new'), { recursive: true, mode: 0o700 });
    this.put(idOf(letters - 1));
    // Only the newest is opened.
    for (let nth = 0; nth < letters - 1; nth += 1)
      linkSync(this.at('new', `${idOf(letters - 1)}.json`), this.at('new', `${idOf(nth)}.json`));
    this.settle();
  }

  at(...words: readonly string[]): string {
    return join(this.root, BOX, ...words);
  }

  put(id: string, box = 'new'): void {
    mkdirSync(this.at(box), { recursive: true, mode: 0o700 });
    writeFileSync(this.at(box, `${id}.json`), textOf(id), { mode: 0o600 });
  }

  /** Looks from now on are long after the last change. */
  settle(): void {
    this.now = statSync(this.at('new')).mtimeMs + 10 * MAIL_INDEX.settledMs;
  }

  still(disk = this.disk): Mailbox {
    return boxAt({ disk, note: () => undefined }, 'overseer').still(this.now);
  }

  async count(disk = this.disk): Promise<number> {
    return (await this.still(disk).counts()).new;
  }

  /** The newest letter, and how many names were listed to find it. */
  async look(): Promise<{ count: number; newest: string | undefined; listed: number }> {
    this.listed.clear();
    const box = this.still();
    const { new: count } = await box.counts();
    const [newest] = await box.page(['new'], { limit: 1, from: 'newest', of: 'letters' });
    return { count, newest: newest?.id, listed: [...this.listed.values()].reduce((sum, one) => sum + one, 0) };
  }
}

// Rules: law 8, C-16.
test('a box that stands as it stood is not listed again, and shows the same', async () => {
  const flood = new Flood();
  const newest = idOf(LETTERS - 1);
  await expect(flood.look()).resolves.toEqual({ count: LETTERS, newest, listed: LETTERS });
  await expect(flood.look()).resolves.toEqual({ count: LETTERS, newest, listed: 0 });
});

// Rules: law 8, C-16.
test('as many names are listed of 20,000 letters as of 10: those of small boxes', async () => {
  const listedWith = async (letters: number): Promise<number> => {
    const flood = new Flood(letters);
    flood.put('m-1600000000000-0', 'archive');
    flood.put('m-1600000000001-0', 'cur');
    await flood.look();
    return (await flood.look()).listed;
  };
  await expect(listedWith(10)).resolves.toBe(12);
  await expect(listedWith(20_000)).resolves.toBe(2);
}, 60_000);

describe('what another program does to a box is seen at the next look', () => {
  // Rules: law 8, C-16.
  test.each<readonly [string, number, (flood: Flood) => void]>([
    [
      'a letter is moved in by hand',
      1,
      (flood) => {
        writeFileSync(join(flood.root, 'letter'), textOf('m-1800000000000-0'), { mode: 0o600 });
        renameSync(join(flood.root, 'letter'), flood.at('new', 'm-1800000000000-0.json'));
      },
    ],
    ['a letter is moved out by hand', -1, (flood) => renameSync(flood.at('new', `${idOf(3)}.json`), flood.at('x'))],
    ['a letter is deleted', -1, (flood) => rmSync(flood.at('new', `${idOf(3)}.json`))],
    [
      'the folder is another one',
      1 - LETTERS,
      (flood) => {
        renameSync(flood.at('new'), flood.at('old'));
        flood.put('m-1800000000000-0');
      },
    ],
  ])('%s', async (_, more, change) => {
    const flood = new Flood();
    await flood.look();
    await expect(flood.look()).resolves.toMatchObject({ listed: 0 });
    change(flood);
    await expect(flood.count()).resolves.toBe(LETTERS + more);
    // And again when the next index has been written.
    flood.settle();
    await expect(flood.count()).resolves.toBe(LETTERS + more);
    await expect(flood.count()).resolves.toBe(LETTERS + more);
  });

  // Rules: law 8, C-16.
  test.each([0, 1, MAIL_INDEX.settledMs - 1])('a box that changed %d ms ago is not remembered', async (ms) => {
    const flood = new Flood();
    flood.now = statSync(flood.at('new')).mtimeMs + ms;
    await flood.look();
    // Within the same tick of the clock: the mark is the same.
    const { atime, mtime } = statSync(flood.at('new'));
    flood.put('m-1800000000000-0');
    utimesSync(flood.at('new'), atime, mtime);
    await expect(flood.count()).resolves.toBe(LETTERS + 1);
  });

  // Rules: law 8, C-16.
  test.each([-DAY, DAY])('a clock that steps by %d ms hides no letter', async (step) => {
    const flood = new Flood();
    await flood.look();
    const at = new Date(Date.now() + step);
    for (let nth = 1; nth <= 3; nth += 1) {
      flood.put(`m-${1_800_000_000_000 + nth}-0`);
      utimesSync(flood.at('new'), at, new Date(at.getTime() + nth));
      flood.now = at.getTime() + 10 * nth * MAIL_INDEX.settledMs;
      await expect(flood.count()).resolves.toBe(LETTERS + nth);
      await expect(flood.look()).resolves.toMatchObject({ count: LETTERS + nth, listed: 0 });
    }
  });
});

/** As a process sees it that ends after so many calls: no later one comes back. */
function endingAfter(last: number, disk: Disk): Disk {
  let calls = 0;
  return new Proxy(disk, {
    get: (target, name: keyof Disk) => {
      const call = target[name];
      if (typeof call !== 'function') return call;
      return (...words: never[]) => {
        calls += 1;
        return calls > last ? new Promise(() => undefined) : (call as (...all: never[]) => unknown)(...words);
      };
    },
  });
}

describe('an index that does not fit is left out', () => {
  // Rules: law 8, C-16.
  test('a look that ends at any instant leaves one that is right or none', async () => {
    const flood = new Flood();
    await flood.look();
    let [count, isOver] = [LETTERS, false];
    const add = (): void => {
      count += 1;
      flood.put(`m-${1_800_000_000_000 + count}-0`);
      flood.settle();
    };
    for (let last = 0; !isOver; last += 1) {
      add();
      isOver = await Promise.race([
        flood.count(endingAfter(last, flood.disk)).then(() => true),
        new Promise<boolean>((done) => setTimeout(done, 100, false)),
      ]);
      await expect(flood.count()).resolves.toBe(count);
      add();
      await expect(flood.count()).resolves.toBe(count);
    }
  }, 60_000);

  // Rules: law 8, C-16.
  test('torn, changed, or no index at all', async () => {
    const flood = new Flood();
    await flood.look();
    const whole = readFileSync(flood.at('index.json'), 'utf8');
    for (const text of ['', whole.slice(0, 100), whole.slice(0, -5), whole.replace(`${LETTERS}`, '7'), '[]', '{}']) {
      writeFileSync(flood.at('index.json'), text);
      await expect(flood.count()).resolves.toBe(LETTERS);
    }
    rmSync(flood.at('index.json'));
    mkdirSync(flood.at('index.json'));
    await expect(flood.count()).resolves.toBe(LETTERS);
  });

  // Rules: law 8, C-16.
  test('a full disk stops no look', async () => {
    const flood = new Flood();
    const full = { ...flood.disk, write: () => Promise.reject(new Error('ENOSPC: no space left on device')) };
    await expect(flood.count(full)).resolves.toBe(LETTERS);
  });
});

// Rules: C-16.
test('the newest of letters and of notices are both in the index, by the time in a name or of the file', async () => {
  const flood = new Flood();
  for (const nth of [0, 1]) {
    flood.put(`notice-${nth}`);
    utimesSync(flood.at('new', `notice-${nth}.json`), nth + 1, nth + 1);
  }
  flood.settle();
  for (const listed of [LETTERS + 2, 0]) {
    await expect(flood.look()).resolves.toMatchObject({ newest: idOf(LETTERS - 1), listed });
    const [notice] = await flood.still().page(['new'], { limit: 1, from: 'newest', of: 'notices' });
    expect(notice?.id).toBe('notice-1');
  }
});
