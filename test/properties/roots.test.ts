/** One file of a root, of any kind the town reads, damaged in any way: the rest of the root is as it was. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import type { NoteRecord } from '../../machines/protocol/watchdog.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { noteWallAtZero } from '../../state/process/clock.ts';
import { danceText } from '../../state/hearings/dances.ts';
import type { Disk } from '../../state/files/disk.ts';
import { readEpoch } from '../../state/process/epoch.ts';
import { readGoodConfig } from '../../state/process/good-config.ts';
import { readJournal } from '../../state/journal.ts';
import { FILES, paths } from '../../state/files/layout.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { noteText, noteFileOf, pauseText, readNote, readPause } from '../../state/watchdog/records.ts';
import { Nudges } from '../../state/sessions/nudges.ts';
import { noneIfLeft } from '../../state/files/record-folder.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { runningOf } from '../../state/process/pid-files.ts';
import { fingerprint, withChecksum } from '../../state/files/checksum.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { putTmuxSocket, readTmuxSocket } from '../../state/process/tmux-socket.ts';
import { rootSecret } from '../../state/sessions/tokens.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { SimDisk } from '../world/disk.ts';
import { closed, dance, episode, life, LETTER, NOW, note, open, putAlerts, session, warrant } from '../state/make.ts';
import { damage, damaged } from './damage.ts';

/** Reading a root takes processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 240_000 });

const UNKNOWN = 'unknown';
const BYTES = STATE.maxRecordBytes;
const quarantineOn = (disk: Disk): Quarantine => new Quarantine({ disk, wall: () => NOW, onRefused: () => undefined });

/** A person who asks for the story of a day whose file is none reads so, by its name. */
async function kindsIn(disk: Disk): Promise<string[]> {
  const kinds: string[] = [];
  for await (const { kind } of readJournal(disk)) kinds.push(kind);
  return kinds;
}

const alertsIn = (disk: Disk) => new Alerts({ disk, quarantine: quarantineOn(disk) }).list();

const notesOn = (disk: Disk) => ({ disk, quarantine: quarantineOn(disk) });
const noteClock = (disk: Disk, at: number) => noteWallAtZero(notesOn(disk), proc, { at, wall: NOW });

/** How each kind is read by a town that starts. What cannot be told may reject where nothing rests on it but a start. */
const READERS: Readonly<Record<string, (disk: Disk) => Promise<unknown>>> = {
  dances: async (disk) => (await (await open(disk)).store.readRecords()).dances,
  heard: async (disk) => (await (await open(disk)).store.readRecords()).heard,
  warrants: async (disk) => (await open(disk)).store.readWarrants(),
  sessions: async (disk) => (await open(disk)).store.readSessions(),
  answer: async (disk) => (await open(disk)).store.answerFor('K73F', 'uuid-gt-nux'),
  alerts: async (disk) => (await alertsIn(disk)).map(({ acked: _, ...alert }) => alert),
  acked: async (disk) => (await alertsIn(disk)).flatMap(({ acked }) => acked ?? []),
  mail: (disk) => new Mailbox({ disk, quarantine: quarantineOn(disk) }, 'mayor').inbox(),
  nudge: (disk) => noneIfLeft(new Nudges({ disk, quarantine: quarantineOn(disk) }).of(life('gt-nux'))),
  heartbeat: (disk) => readNote(notesOn(disk), 'heartbeat'),
  bootRunning: (disk) => readNote(notesOn(disk), 'bootRunning'),
  bootStatus: (disk) => readNote(notesOn(disk), 'bootStatus'),
  healthChecks: (disk) => readNote(notesOn(disk), 'healthChecks'),
  serverDeaths: (disk) => readNote(notesOn(disk), 'serverDeaths'),
  pause: async (disk) => (await readPause(notesOn(disk))) !== null,
  stopped: async (disk) => (await runningOf(disk, BYTES).stopped()) !== null,
  town: async (disk) => (await runningOf(disk, BYTES).town()).kind,
  guard: async (disk) => (await runningOf(disk, BYTES).guard())?.pid ?? null,
  epoch: (disk) => readEpoch(disk).catch(() => UNKNOWN),
  socket: (disk) => readTmuxSocket(disk).catch(() => UNKNOWN),
  clock: async (disk) => ((await noneIfLeft(noteClock(disk, 5))) === NOW - 9 ? 'the first' : null),
  secret: async (disk) => (await rootSecret(disk, quarantineOn(disk))).length,
  good: async (disk) => typeof (await readGoodConfig(disk, BYTES)),
  journal: (disk) => kindsIn(disk).catch(() => UNKNOWN),
};
type Kind = string;

/** What each file of a root is read as. */
const OF: readonly (readonly [RegExp, readonly Kind[]])[] = [
  [/dogs\/active/, ['dances']],
  [/dogs\/completed/, ['heard']],
  [/dogs\/warrants/, ['warrants']],
  [/^sessions/, ['sessions', 'warrants']],
  [/dogs\/answers/, ['answer']],
  [/^alerts/, ['alerts', 'acked']],
  [/^mail/, ['mail']],
  [/^nudges/, ['nudge']],
  [/^journal/, ['journal']],
  [/daemon\.pid$/, ['town']],
  ...Object.entries({
    heartbeat: 'heartbeat',
    bootRunning: 'bootRunning',
    bootStatus: 'bootStatus',
    healthChecks: 'healthChecks',
    serverDeaths: 'serverDeaths',
    paused: 'pause',
    stopped: 'stopped',
    guard: 'guard',
    epoch: 'epoch',
    tmuxSocket: 'socket',
    secret: 'secret',
    goodConfig: 'good',
    clock: 'clock',
  } as const).map(([file, kind]): [RegExp, Kind[]] => [
    new RegExp(`^${FILES[file as keyof typeof FILES].replaceAll('.', '\\.')}$`),
    [kind],
  ]),
];

const proc = { pid: 4711, started: '99@boot' };

/** A root with one file of every kind. */
async function root(): Promise<SimDisk> {
  const sim = new SimDisk({ wall: () => NOW });
  const other = dance('dog-1', { target: life('gt-ace'), warrants: [warrant('w-1', { target: life('gt-ace') })] });
  const records: Readonly<Record<string, string>> = {
    [paths.active('dog-1')]: danceText(other),
    [paths.completed('dog-2')]: danceText(closed('dog-2')),
    [paths.warrant('w-9')]: warrantText(warrant('w-9', { target: life('gt-bee') })),
    [paths.session('gt-nux')]: sessionText(session('gt-nux')),
    [paths.session('gt-bee')]: sessionText(session('gt-bee')),
    [paths.answer('K73F')]: withChecksum({
      schema: 'answer/1',
      code: 'K73F',
      uuid: 'uuid-gt-nux',
      answered_at: new Date(NOW).toISOString(),
      via: 'agent',
    }),
    'mail/mayor/new/m.json': LETTER,
    [FILES.paused]: pauseText({ since: '2026', by: 'me', reason: 'lunch' }),
    [FILES.heartbeat]: noteText('heartbeat', {
      at: NOW,
      cycle: 3,
      lastAction: 'patrol',
      healthy: 1,
      unhealthy: 0,
      nextDueAt: NOW + 60_000,
      incarnation: null,
    }),
    [FILES.epoch]: `1234 ${fingerprint('1234')}\n`,
    [FILES.secret]: `${'ab'.repeat(32)}\n`,
    [FILES.goodConfig]: '[town]\n',
  };
  for (const [path, text] of Object.entries(records)) sim.put(path, text);
  const notes: readonly NoteRecord[] = [
    note('bootRunning', { at: NOW }),
    note('bootStatus', {
      at: NOW,
      action: 'NOTHING',
      reason: 'fresh',
      heartbeatAgeMs: 5,
      session: 'hq-deacon',
      result: 'ok',
      memory: { uuid: null, wakes: 0, spared: false, undelivered: 0 },
    }),
    note('healthChecks', {
      'gt-nux': { uuid: 'u', lastPingAt: NOW, lastAnswerAt: null, failures: 2, code: 'M2X9', result: '-' },
    }),
    note('serverDeaths', { server: proc, streak: 2, agesMs: [5, 6], looping: false }),
  ];
  for (const note of notes) {
    const { path, text } = noteFileOf(note);
    sim.put(path, text ?? '');
  }
  const disk = sim.mount();
  const alerts = new Alerts({ disk, quarantine: quarantineOn(disk) });
  await putAlerts(disk, episode('disk'));
  await alerts.ack('disk', 'me', NOW);
  await new Nudges({ disk, quarantine: quarantineOn(disk) }).add(
    life('gt-nux'),
    { at: NOW, from: 'boot', text: 'hello', isTyped: false },
    5,
  );
  const running = runningOf(disk, BYTES);
  await running.putTown({ ...proc, epoch: 1234, version: '1', root: null, socket: '/s', ports: { inspect: null } });
  await running.putGuard({ ...proc, epoch: 1234, town: proc, hears: true, falls: 0, lastExit: null, nextTryAt: null });
  await running.latch('stopped by me');
  await putTmuxSocket(disk, '/tmp/s');
  await noteClock(disk, 9);
  const { store } = await open(disk);
  await store.commit([], [{ at: NOW, kind: 'test.happened' }]);
  await store.commit([], [{ at: NOW, kind: 'test.again' }]);
  return sim;
}

async function readAll(sim: SimDisk): Promise<Readonly<Record<Kind, unknown>>> {
  const read: Record<Kind, unknown> = {};
  // Twice: a file that looks cut gets a second chance.
  for (let round = 0; round < 2; round += 1)
    for (const [kind, reader] of Object.entries(READERS)) read[kind] = await reader(sim.mount());
  return read;
}

/** What other programs may write too, or a person; it is read as what it says. */
const UNSEALED = new Set(['pause', 'stopped', 'town', 'guard', 'epoch', 'secret', 'good', 'journal']);

/** A list that lacks some of what it had counts as nothing. */
function fewer(value: unknown, whole: unknown): unknown {
  if (!Array.isArray(value) || !Array.isArray(whole)) return value;
  const known = new Set(whole.map((one) => JSON.stringify(one)));
  return value.length < whole.length && value.every((one) => known.has(JSON.stringify(one))) ? [] : value;
}

// Rules: I-15.
test('15: one file of a root, of any kind, is damaged or replaced: it is what it was or nothing, with its reason, and all others are as they were', async () => {
  const whole = await readAll(await root());
  for (const [kind, value] of Object.entries(whole))
    expect([null, UNKNOWN, '[]'], kind).not.toContain(JSON.stringify(value));
  const place = fc.constantFrom('file', 'file', 'file', 'file', 'file', 'file', 'folder', 'other', 'link');
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), damage, place, async (nth, how, kind) => {
      const sim = await root();
      const files = [...sim.files()];
      const [path = '', text = ''] = files[nth % files.length] ?? [];
      const bad = kind === 'file' ? damaged(text, how) : '';
      sim.put(path, bad, kind);
      const after = await readAll(sim);
      const [, mine = []] = OF.find(([pattern]) => pattern.test(path)) ?? [];
      expect(mine, path).not.toEqual([]);
      for (const one of Object.keys(whole)) {
        const what = `${one}, by ${path}: ${bad}`;
        if (!mine.includes(one)) expect(after[one], what).toEqual(whole[one]);
        else if (!UNSEALED.has(one))
          expect([whole[one], null, [], UNKNOWN], what).toContainEqual(fewer(after[one], whole[one]));
      }
      const left = sim.files();
      // A warrant that lost its sum alone is one that any program may have written: it counts, and gets a new sum.
      if (bad === '' || [bad, text].includes(left.get(path) ?? '')) return;
      const [moved = ''] = [...left].find(([, one]) => one === bad) ?? [];
      expect(moved, `${path} is kept`).toMatch(/^quarantine/);
      expect(left.get(`${moved}.why`), `${path} has a reason`).toBeTruthy();
    }),
    { numRuns: 400 },
  );
});
