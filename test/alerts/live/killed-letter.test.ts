/** A process killed between a letter to the person and its ring, over real files and a real command: the person is told once. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { NOTIFY } from '../../../machines/alerts/policy.ts';
import { Bell } from '../../../src/alerts/bell.ts';
import { createNotices } from '../../../src/alerts/notices.ts';
import type { Notice } from '../../../src/alerts/notify.ts';
import { tellPerson as tellOfCommand } from '../../../src/cli/asking/person.ts';
import { Context } from '../../../src/cli/context.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { tellNews, tellPerson } from '../../../src/patrols/deacon/news.ts';
import { boxAt, sendLetter } from '../../../src/patrols/witness/post.ts';
import { tellPerson as tellOfWaiting, toldOf } from '../../../src/refinery/letters.ts';
import { realDisk, type Disk } from '../../../state/files/disk.ts';
import { tempFolder } from '../../world/over.ts';

const NOW = Date.now();
const note = (): void => undefined;

let root: string;
let heardIn: string;
beforeEach(() => {
  root = tempFolder('killed-letter');
  heardIn = join(root, 'heard');
  const command = JSON.stringify(['sh', '-c', 'cat >> "$0"', heardIn]);
  writeFileSync(join(root, 'town.toml'), `[notify]\ncommand = ${command}\n`, { mode: 0o600 });
});

const heard = (): string[] =>
  (existsSync(heardIn) ? readFileSync(heardIn, 'utf8') : '')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Notice).text]));

const bellOver = (disk: Disk, now: number): Bell =>
  new Bell({
    root,
    disk,
    command: ['sh', '-c', 'cat >> "$0"', heardIn],
    channels: false,
    limitMs: 10_000,
    wall: () => now,
  });

/** A disk of a process that is killed right behind the writing of the letter: what it wrote stays, and it goes no further. */
function killedBehindLetter(): { readonly disk: Disk; readonly isKilled: Promise<true> } {
  const real = realDisk(root, 1);
  const { promise, resolve } = Promise.withResolvers<true>();
  const never = new Promise<never>(() => undefined);
  let isDead = false;
  const rename: Disk['rename'] = async (from, to) => {
    await (isDead ? never : real.rename(from, to));
    if (!to.startsWith('mail/overseer/new/')) return;
    isDead = true;
    resolve(true);
    await never;
  };
  return { disk: { ...real, rename }, isKilled: promise };
}

const settings = () => loadSettings({ root });
const MAIL = { type: 'mail', id: { name: 'ended' }, to: 'overseer', subject: 'ENDED: mine', body: 'why' } as const;
const WAITS = { mail: 'm', sentAt: 1, bead: null, polecat: null, branch: 'b', commit: null, main: null };

type Writer = readonly [string, (disk: Disk) => Promise<unknown>];
const WRITERS: readonly [Writer, ...Writer[]] = [
  [
    'the town',
    (disk) =>
      createNotices({
        clock: { wall: () => NOW },
        log: note,
        mailboxOf: (address) => boxAt({ disk, note }, address),
        correspondents: () => Promise.resolve({ rigs: [], sessions: [], polecats: [] }),
        keep: async (...told) => {
          const ring = await bellOver(disk, NOW).keep(...told);
          return async () => {
            await ring();
          };
        },
      }).mail(MAIL, new AbortController().signal),
  ],
  [
    'the Deacon',
    (disk) =>
      tellNews(
        { root, disk, settings: settings(), note, standings: () => Promise.resolve(() => 'ended') },
        { id: 'landed-c', subject: 'Convoy landed: c', body: 'well.\n' },
        NOW,
      ),
  ],
  [
    'a witness',
    (disk) =>
      sendLetter(
        {
          rig: 'shop',
          now: NOW,
          boxOf: (address) => Promise.resolve(boxAt({ disk, note }, address)),
          tellPerson: (box, letter) => tellPerson({ root, disk, settings: settings(), note }, box, letter),
        },
        { to: 'overseer', subject: 'SWARM complete', body: '', of: 's' },
      ),
  ],
  [
    'a refinery',
    async (disk) => {
      const context = Object.assign(new Context({ root, json: true, rest: [] }), { disk: () => Promise.resolve(disk) });
      const person = boxAt({ disk, note }, 'overseer');
      const desk = {
        rig: 'shop',
        witness: boxAt({ disk, note }, 'shop/witness'),
        person,
        sign: (words: object) => ({ ...words, from: 'shop/refinery', via: 'town', sentAt: NOW }) as never,
        tell: (letter: Parameters<typeof person.send>[0]) => tellOfCommand(context, person, letter),
        now: () => NOW,
      };
      await tellOfWaiting(desk, await toldOf(desk), { kind: 'push', why: 'no push' }, WAITS);
    },
  ],
];

// Rules: law 8.
test.each(WRITERS)('%s: as its command runs, the person is told once, however often it is done', async (_, write) => {
  for (let twice = 0; twice < 2; twice++) await write(realDisk(root, 2));
  await bellOver(realDisk(root, 3), NOW + 2 * NOTIFY.windowMs).ringLate();
  expect(heard()).toHaveLength(1);
});

// Rules: law 7, law 8.
test.each(WRITERS)('%s, killed behind the letter: the next look at what waits tells it, once', async (_, write) => {
  const { disk, isKilled } = killedBehindLetter();
  void write(disk);
  await isKilled;
  expect(heard()).toEqual([]);
  await write(realDisk(root, 2));
  expect(heard()).toEqual([]);
  for (const windows of [2, 20]) await bellOver(realDisk(root, 3), NOW + windows * NOTIFY.windowMs).ringLate();
  expect(heard()).toHaveLength(1);
});

test('a letter whose try failed behind its writing: it is tried again, and the person is told once', async () => {
  const real = realDisk(root, 1);
  let isFull = true;
  const full = (): Promise<never> => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  const syncDir: Disk['syncDir'] = (folder) =>
    isFull && folder === 'mail/overseer/new' ? full() : real.syncDir(folder);
  const [[, write]] = WRITERS;
  await expect(write({ ...real, syncDir })).rejects.toThrow('no space');
  isFull = false;
  await write({ ...real, syncDir });
  await bellOver(realDisk(root, 3), NOW + 2 * NOTIFY.windowMs).ringLate();
  expect(heard()).toHaveLength(1);
});
