/** The small files of the chain: written and read back, removed, damaged at any byte, and written by other programs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { SENDS } from '../../machines/sends/policy.ts';
import { STATE } from '../../state/files/policy.ts';
import type { NoteRecord } from '../../machines/protocol/watchdog.ts';
import { freshMemory } from '../../machines/watchdog/matrix.ts';
import { heartbeatOf } from '../../src/watchdog/hands.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { LeftAlone } from '../../state/files/record-folder.ts';
import { noteRead, noteFileOf, readNote, readPause, type NoteOptions } from '../../state/watchdog/records.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { Store } from '../../state/store.ts';
import { systemError } from '../world/disk.ts';
import { tempFolder } from '../world/over.ts';

const AT = Date.UTC(2026, 0, 2, 18, 30);
const NOTES: readonly NoteRecord[] = [
  {
    kind: 'note',
    id: 'heartbeat',
    value: {
      at: AT,
      cycle: 42,
      lastAction: 'health-scan',
      healthy: 3,
      unhealthy: 0,
      nextDueAt: AT + 1,
      incarnation: 'u',
    },
  },
  { kind: 'note', id: 'bootRunning', value: { at: AT } },
  {
    kind: 'note',
    id: 'bootStatus',
    value: {
      at: AT,
      action: 'WAKE',
      reason: 'silent',
      heartbeatAgeMs: 9,
      session: 'hq-deacon',
      result: 'typed',
      memory: { ...freshMemory('u'), wakes: 1 },
    },
  },
  {
    kind: 'note',
    id: 'healthChecks',
    value: { worker: { uuid: 'u', lastPingAt: AT, lastAnswerAt: null, failures: 2, code: 'K73F', result: 'asked' } },
  },
  {
    kind: 'note',
    id: 'serverDeaths',
    value: { server: { pid: 500, started: '1@boot' }, streak: 2, agesMs: [1_500, 0], looping: false },
  },
];

let root: string;
let refused: Refused[];
let options: NoteOptions;
let store: Store;
beforeEach(async () => {
  root = tempFolder('town-notes');
  refused = [];
  const onRefused = (one: Refused): unknown => refused.push(one);
  const disk = realDisk(root, 1);
  const wall = (): number => AT;
  options = { disk, quarantine: new Quarantine({ disk, wall, onRefused }) };
  store = new Store({ disk, policy: STATE, heardWithinMs: POLICY.dance.heardWithinMs, wall, onRefused });
  await store.open();
});

test('a heartbeat is a sign of the life that it names, and of no other (D-4)', async () => {
  expect(await heartbeatOf(options)('u')).toBeNull();
  await store.commit(NOTES.filter(({ id }) => id === 'heartbeat'));
  expect([await heartbeatOf(options)('u'), await heartbeatOf(options)('v')]).toEqual([AT, null]);
});

describe.each(NOTES)('$id', (note) => {
  const path = FILES[note.id];
  test('is read back as it was', async () => {
    await store.commit([note]);
    expect(await readNote(options, note.id)).toEqual(note.value);
  });

  test('is gone when it is removed, and there again when it is written again', async () => {
    await store.commit([note]);
    await store.commit([{ ...note, value: null }]);
    expect(await readNote(options, note.id)).toBeNull();
    await store.commit([{ ...note, value: null }, note]);
    expect(await readNote(options, note.id)).toEqual(note.value);
  });

  const newer = (): string => (noteFileOf(note).text ?? '').replace('/1"', '/2"');

  test('of a newer version is read by no actor, and is kept where another is written there', async () => {
    writeFileSync(join(root, path), newer());
    options = { ...options, quarantine: store.quarantine };
    await expect(noteRead(options, note.id)).rejects.toThrow(`${path} cannot be read: its schema`);
    // Said once, it is so still.
    await expect(noteRead(options, note.id)).rejects.toBeInstanceOf(LeftAlone);
    expect(await readNote(options, note.id)).toBeNull();
    expect(readFileSync(join(root, path), 'utf8')).toBe(newer());
    await store.commit([note]);
    expect(await noteRead(options, note.id)).toMatchObject({ value: note.value });
    const kept = refused.flatMap(({ movedTo }) =>
      movedTo === null ? [] : [readFileSync(join(root, movedTo), 'utf8')],
    );
    expect(kept).toEqual([newer()]);
  });

  test('that the disk could not read for a moment is read at the next try', async () => {
    await store.commit([note]);
    let fails = 2;
    const read: Disk['read'] = (...of) => (fails-- > 0 ? Promise.reject(systemError('EIO')) : options.disk.read(...of));
    const failing = { ...options, disk: { ...options.disk, read } };
    for (let tries = 0; tries < 2; tries += 1) await expect(noteRead(failing, note.id)).rejects.toThrow(path);
    expect(await noteRead(failing, note.id)).toMatchObject({ value: note.value });
    expect(refused).toMatchObject([{ file: path, movedTo: null }]);
  });

  test('damaged at any byte it counts for nothing, or says what it said', async () => {
    const { text } = noteFileOf(note);
    const whole = text ?? '';
    for (let at = 0; at < whole.length; at++) {
      writeFileSync(join(root, path), `${whole.slice(0, at)}\u0001${whole.slice(at + 1)}`);
      const found = await readNote(options, note.id);
      if (found !== null) expect(found).toEqual(note.value);
    }
    expect(refused.length).toBeGreaterThan(0);
  });
});

test('a heartbeat as the seed writes it counts, without schema and sum', async () => {
  const seed = {
    timestamp: '2026-01-02T18:30:00Z',
    cycle: 42,
    last_action: 'health-scan',
    healthy_agents: 3,
    unhealthy_agents: 0,
  };
  writeFileSync(join(root, FILES.heartbeat), JSON.stringify(seed, null, 2));
  expect(await readNote(options, 'heartbeat')).toMatchObject({ at: AT, cycle: 42, healthy: 3, nextDueAt: null });
});

test('the files carry the fields that people read', async () => {
  await store.commit(NOTES);
  const json = (id: keyof typeof FILES): object => JSON.parse(readFileSync(join(root, FILES[id]), 'utf8')) as object;
  expect(Object.keys(json('heartbeat'))).toEqual(
    expect.arrayContaining([
      'timestamp',
      'cycle',
      'last_action',
      'healthy_agents',
      'unhealthy_agents',
      'next_beat_due',
    ]),
  );
  expect(Object.keys(json('bootStatus'))).toEqual(
    expect.arrayContaining(['timestamp', 'action', 'reason', 'heartbeat_age_ms', 'session', 'result']),
  );
  expect(json('healthChecks')).toMatchObject({ agents: { worker: { consecutive_failures: 2, last_answer: null } } });
});

test.each([
  ['a touched file', ''],
  ['words', 'lunch'],
  ['JSON of another program', '{"reason":"lunch"}'],
])('a pause is a pause with any content: %s', async (_, text) => {
  expect(await readPause(options)).toBeNull();
  mkdirSync(join(root, 'deacon'), { recursive: true });
  writeFileSync(join(root, FILES.paused), text);
  for (let twice = 0; twice < 2; twice++) expect(await readPause(options)).not.toBeNull();
});

test.each([
  ['that says so', '{"paused":false}', false],
  ['that says so with a reason', '{"paused":false,"reason":"lunch is over"}', false],
  ['that says yes', '{"paused":true}', true],
  ['that cannot tell', '{"paused":"no"}', true],
])('a pause %s', async (_, text, isOne) => {
  mkdirSync(join(root, 'deacon'), { recursive: true });
  writeFileSync(join(root, FILES.paused), text);
  expect((await readPause(options)) !== null).toBe(isOne);
});

test('a note of the town\u2019s own is read back however much work waits; a heartbeat, which any program may write, is small', async () => {
  const text = '直'.repeat(4_096);
  const one = { session: 'w1', text, from: 'overseer', sentAt: AT };
  const sends = Array.from({ length: SENDS.maxWaiting }, (_, n) => ({ ...one, id: `s-${String(n)}` }));
  await store.commit([{ kind: 'note', id: 'sends', value: { sends, ended: [] } }]);
  expect((await readNote(options, 'sends'))?.sends).toHaveLength(SENDS.maxWaiting);
  writeFileSync(
    join(root, FILES.heartbeat),
    JSON.stringify({ timestamp: new Date(AT), last_action: text.repeat(300) }),
  );
  expect(await readNote(options, 'heartbeat')).toBeNull();
  expect(refused.map(({ file }) => file)).toEqual([FILES.heartbeat]);
});
