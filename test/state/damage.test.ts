/** Any byte of any state file flipped or cut: the town starts, says so, and acts on nothing that is not what was written. */
import { describe, expect, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { readEpoch } from '../../state/process/epoch.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { fingerprint, withChecksum } from '../../state/files/checksum.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { danceText } from '../../state/hearings/dances.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { runningOf } from '../../state/process/pid-files.ts';
import type { Disk } from '../../state/files/disk.ts';
import { SimDisk } from '../world/disk.ts';
import { closed, dance, LETTER, life, NOW, open, saved, session, sessionSheet, warrant } from './make.ts';

interface Kind {
  readonly path: string;
  readonly text: string;
  /** What a town that starts gets out of the file: a value, or nothing. */
  readonly read: (disk: Disk) => Promise<unknown>;
  readonly nothing: unknown;
}

const records = async (disk: Disk) => (await open(disk)).store.readRecords();
const quarantineOn = (disk: Disk) => new Quarantine({ disk, wall: () => NOW, onRefused: () => undefined });
const alert = {
  episode: 'e',
  severity: 'high',
  session: null,
  text: 't',
  since: 1,
  count: 1,
  told_at: null,
  ended_at: null,
  recovery: null,
};

const kinds: Record<string, Kind> = {
  'an open dance': {
    path: paths.active(dance().id),
    text: danceText(
      dance(undefined, {
        killing: true,
        tree: [{ pid: 77, started: 'boot:3' }],
        excluded: [{ pid: 78, started: 'boot:4', program: 'codex app-server' }],
      }),
    ),
    read: async (disk) => (await records(disk)).dances,
    nothing: [],
  },
  'a closed dance': {
    path: paths.completed(dance().id),
    text: danceText(closed()),
    read: async (disk) => (await records(disk)).heard,
    nothing: [],
  },
  'a bound warrant': {
    path: paths.warrant('w-1'),
    text: warrantText(warrant()),
    read: async (disk) => (await records(disk)).warrants,
    nothing: [],
  },
  'a session': {
    path: paths.session('gt-ace'),
    text: sessionText(session('gt-ace')),
    read: async (disk) => (await (await open(disk)).store.readSessions()).filter(({ spec }) => spec.name === 'gt-ace'),
    nothing: [],
  },
  'an answer': {
    path: paths.answer('K73F'),
    text: withChecksum({
      schema: 'answer/1',
      code: 'K73F',
      uuid: 'u',
      answered_at: new Date(NOW).toISOString(),
      via: 'agent',
    }),
    read: async (disk) => (await open(disk)).store.answerFor('K73F', 'u'),
    nothing: null,
  },
  'an alert': {
    path: `${FOLDERS.alerts}/e.json`,
    text: withChecksum({ schema: 'alert/1', ...alert }),
    read: (disk) => new Alerts({ disk, quarantine: quarantineOn(disk) }).list(),
    nothing: [],
  },
  'a message': {
    path: 'mail/mayor/new/m.json',
    text: LETTER,
    read: (disk) => new Mailbox({ disk, quarantine: quarantineOn(disk) }, 'mayor').inbox(),
    nothing: [],
  },
  'the epoch': {
    path: 'daemon/epoch',
    text: `1234 ${fingerprint('1234')}\n`,
    read: (disk) => readEpoch(disk).catch(() => 'unknown'),
    nothing: 'unknown',
  },
};

/** Reads one damaged file in a town that has another, healthy dance. */
async function readDamaged(kind: Kind, text: string): Promise<unknown> {
  const sim = new SimDisk({ wall: () => NOW });
  sim.put(...sessionSheet());
  if (kind.path !== paths.session('gt-ace')) sim.put(paths.session('gt-ace'), sessionText(session('gt-ace')));
  sim.put(kind.path, text);
  return kind.read(sim.mount());
}

describe.each(Object.keys(kinds))('%s', (name) => {
  const kind = kinds[name]!;

  test('reads whole', async () => {
    expect(await readDamaged(kind, kind.text)).not.toEqual(kind.nothing);
  });

  // Rules: I-15.
  test('with any byte flipped is what it was, or nothing', async () => {
    const whole = JSON.stringify(await readDamaged(kind, kind.text));
    const bytes = Buffer.from(kind.text);
    for (let i = 0; i < bytes.length; i += 1) {
      for (const mask of [0x01, 0x02, 0x10, 0x20, 0x80]) {
        const flipped = Buffer.from(bytes);
        flipped[i]! ^= mask;
        const read = JSON.stringify(await readDamaged(kind, flipped.toString('utf8')));
        expect([whole, JSON.stringify(kind.nothing)], `byte ${i} ^ ${mask}`).toContain(read);
      }
    }
  });

  test('cut anywhere is nothing, but for its last line break', async () => {
    for (let length = 0; length < kind.text.length - 1; length += 1) {
      const read = await readDamaged(kind, kind.text.slice(0, length));
      // Digits alone are an epoch, as a person writes it; it is no file that the town made and cut.
      if (name === 'the epoch' && typeof read === 'number') expect(length).toBeLessThanOrEqual('1234'.length);
      else expect(read, `cut at ${length}`).toEqual(kind.nothing);
    }
  });

  if (!kind.text.includes('"schema"')) return;
  // Rules: D-13.
  test('of the next version is left alone', async () => {
    const sim = new SimDisk({ wall: () => NOW });
    const next = kind.text.replace(/"schema":"([a-z]+)\/1"/, '"schema":"$1/2"');
    expect(next).not.toBe(kind.text);
    sim.put(kind.path, next);
    expect(await kind.read(sim.mount())).toEqual(kind.nothing);
    expect(sim.files().get(kind.path)).toBe(next);
  });
});

// Rules: D-13.
test('damage to one dance leaves the others, and what was set aside can still be read there', async () => {
  const sim = new SimDisk({ wall: () => NOW });
  const { store } = await open(sim.mount());
  const good = dance('dog-2', { target: life('gt-ace'), warrants: [warrant('w-2')] });
  await store.commit([saved(dance('dog-1')), saved(good)]);
  const broken = sim.files().get(paths.active('dog-1'))!.replace('"observedMs":12345', '"observedMs":92345');
  sim.put(paths.active('dog-1'), broken);
  const { store: next, refused } = await open(sim.mount());
  expect((await next.readRecords()).dances).toEqual([good]);
  expect(refused).toMatchObject([{ file: paths.active('dog-1'), why: expect.stringContaining('check sum') as string }]);
  expect(sim.files().get(refused[0]!.movedTo!)).toBe(broken);
  expect(await next.lives.maybeSignalled('uuid-gt-nux')).toBe(false);
  // The number of the one that was set aside is not given again while its file is known.
  expect(refused[0]!.movedTo).toContain(FOLDERS.quarantine);
});

test('a daemon.pid with any byte flipped or cut names a process only by pid and start time, or a plain pid, or none', async () => {
  const sim = new SimDisk();
  const running = runningOf(sim.mount(), STATE.maxRecordBytes);
  const post = { pid: 4711, started: '99@boot', epoch: 3, version: '1', root: null, socket: '/s' };
  await running.putTown({ ...post, ports: { inspect: null } });
  const text = sim.files().get('daemon/daemon.pid')!;
  for (let i = 0; i < text.length; i += 1) {
    sim.put('daemon/daemon.pid', text.slice(0, i));
    expect((await running.town()).kind).toBe(i === text.length - 1 ? 'town' : 'nothing');
    const flipped = Buffer.from(text);
    flipped[i]! ^= 0x10;
    sim.put('daemon/daemon.pid', flipped.toString('utf8'));
    expect(['town', 'nothing']).toContain((await running.town()).kind);
  }
});
