/** What becomes of a supervised session (C-6, C-9, law 1): by scans, over restarts of the town, and while tmux is silent. */
import { describe, expect, test } from 'vitest';
import type { Fact, OutcomeBody, SeenSession, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { emptyBook, type SessionsState } from '../../machines/sessions/state.ts';
import { decide } from '../../machines/sessions/machine.ts';
import { Drive, incarnation } from '../world/drive.ts';
import { CLEAN, CRASH, Machine } from '../world/machine.ts';
import { policy, running, spec } from './supervised.ts';

/** What a scan shows, as the book hears it. */
const scanned = (shows: Omit<OutcomeBody & { type: 'SESSIONS_SEEN' }, 'type'>, at: number): Fact => ({
  type: 'SESSIONS_SEEN',
  re: { issuer: 'sessions', verb: 'scan' },
  ...shows,
  at,
  wall: at,
});

/** A town whose session runs; `see` is what the next scans show. */
function townWith(
  restart: SessionSpec['restart'],
  see: () => OutcomeBody | null,
  found: readonly SessionRecord[] = [],
) {
  const machine = new Machine();
  const drive = new Drive({ ...machine.hands, scan: see }, { sessions: found });
  if (found.length === 0)
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec: spec(restart) } });
  drive.run(100);
  const record = () => drive.session('s1');
  const seen = (life: SeenSession['life'], more: Partial<SeenSession> = {}): OutcomeBody => ({
    type: 'SESSIONS_SEEN',
    server: life === 'unknown' ? 'unknown' : 'up',
    seen: [{ name: 's1', uuid: record().incarnation?.uuid ?? '', life, exit: null, maybeSignalled: false, ...more }],
  });
  return { drive, record, seen };
}

// Rules: M-11.
test('the conversation that its program says it is in is on record, and its next life goes on with it', () => {
  let next: OutcomeBody | null = null;
  const { drive, record, seen } = townWith('transient', () => next);
  next = seen('alive', { conversation: 'thread-1' });
  drive.outcome({ issuer: 'sessions', verb: 'scan' }, next);
  drive.run(3 * policy.scanEveryMs);
  expect(record().conversation).toEqual({ id: 'thread-1', resumed: false, deaths: 0 });
  next = seen('dead', { exit: CRASH });
  drive.run(3 * policy.scanEveryMs);
  expect(record().conversation).toMatchObject({ id: 'thread-1', deaths: 1 });
  const starts = drive.orders.filter((order) => order.type === 'startSession');
  expect(starts.at(-1)).toMatchObject({ resume: { id: 'thread-1' } });
});

describe('what a scan shows', () => {
  const scanned = (life: SeenSession['life'], more: Partial<SeenSession> = {}) => {
    let next: OutcomeBody | null = null;
    const { drive, record, seen } = townWith('transient', () => next);
    next = seen(life, more);
    drive.outcome({ issuer: 'sessions', verb: 'scan' }, next);
    drive.run(3 * policy.scanEveryMs);
    return { drive, record: record() };
  };

  test.each<[SeenSession['life'], Partial<SeenSession>, string]>([
    ['alive', {}, 'running'],
    ['dead', { exit: CRASH }, 'backing_off'],
    ['dead', { exit: CLEAN }, 'ended'],
    ['dead', { exit: null, maybeSignalled: true }, 'ended'],
    ['absent', {}, 'backing_off'],
    ['absent', { maybeSignalled: true }, 'ended'],
    ['replaced', {}, 'backing_off'],
    ['unknown', {}, 'running'],
    ['dead', { exit: CRASH, uuid: 'uuid-of-an-older-life' }, 'running'],
  ])('%s %o: %s', (life, more, state) => {
    const first = scanned(life, more)
      .drive.trail.slice(2)
      .find((line) => line !== 's1 running');
    expect(first ?? 's1 running').toBe(`s1 ${state}`);
  });

  // Rules: law 1.
  test('blindness restarts nothing however long; after a minute a person is told once, and told when it ends', () => {
    let blind = true;
    const { drive, seen } = townWith('permanent', () => (blind ? null : seen('alive')));
    for (let n = 0; n < 100; n++) {
      drive.outcome({ issuer: 'sessions', verb: 'scan' }, { type: 'ORDER_FAILED', why: 'tmux did not answer' });
      drive.run(policy.scanEveryMs);
    }
    expect(drive.given('startSession')).toHaveLength(1);
    expect(drive.alerts).toEqual(['tmux-unknown']);
    blind = false;
    drive.outcome({ issuer: 'sessions', verb: 'scan' }, seen('alive'));
    expect(drive.ends).toEqual(['tmux-unknown']);
  });
});

describe('after a restart of the town', () => {
  test('a start under way is repeated under the same uuid', () => {
    const { drive } = townWith('transient', () => null, [freshSession(spec('transient'), 'uuid-pending')]);
    expect(drive.given('startSession').map((o) => o.uuid)).toEqual(['uuid-pending']);
  });

  test('the rest of a wait is waited, and the budget is the same', () => {
    const waiting: SessionRecord = {
      ...running('transient', { restartAgesMs: [1, 2, 3], streak: 3 }),
      state: 'backing_off',
      waitMs: 4_000,
    };
    const { drive, record } = townWith('transient', () => null, [waiting]);
    drive.run(3_800);
    expect(drive.given('startSession')).toHaveLength(0);
    drive.run(100);
    expect(drive.given('startSession')).toHaveLength(1);
    expect(record()).toMatchObject({ restartAgesMs: [1, 2, 3], streak: 3 });
  });

  test.each(['ended', 'observed', 'running'] as const)('a session that is %s is not started', (state) => {
    const found = { ...running('permanent'), state, incarnation: incarnation(1, { session: 's1' }) };
    const { drive } = townWith('permanent', () => null, [found]);
    drive.run(60_000);
    expect(drive.given('startSession')).toEqual([]);
  });
});

test('a start that may have got through is repeated under the same uuid, one that did not under a new one', () => {
  let outcome: OutcomeBody = { type: 'ORDER_FAILED', why: 'no outcome within 60000 ms' };
  const drive = new Drive({ startSession: () => outcome });
  drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec: spec('permanent') } });
  drive.run(5_000);
  const uuids = () => drive.given('startSession').map((o) => o.uuid);
  expect(uuids().length).toBeGreaterThan(1);
  expect(new Set(uuids()).size).toBe(1);
  const before = uuids().length;
  outcome = { type: 'SESSION_NOT_STARTED', why: 'no such directory', taken: false };
  drive.run(60_000);
  expect(new Set(uuids().slice(before + 1)).size).toBeGreaterThan(1);
});

test('an exit that the death hook told counts when the pane is cleared before a scan reads it; another server’s does not', () => {
  const record = running('transient', { incarnation: incarnation(1) });
  const { server, paneId } = record.incarnation!;
  const book = { ...emptyBook({ policy, entropy: 'test', agents: [] }), records: { [record.spec.name]: record } };
  const stamp = { at: 5_000, wall: 5_000 };
  const seen = [
    { name: record.spec.name, uuid: record.incarnation!.uuid, life: 'absent', exit: null, maybeSignalled: false },
  ] as const;
  const after = (pid: number) => {
    const noted = decide(book, { type: 'SESSION_DIED', server: pid, paneId, exit: CLEAN, ...stamp });
    return decide({ ...book, ...noted.changes }, scanned({ server: 'up', seen }, 5_000)).changes.records?.[
      record.spec.name
    ];
  };
  expect(after(server.pid)).toMatchObject({ state: 'ended', lastExit: CLEAN });
  expect(after(server.pid + 1)).toMatchObject({ state: 'backing_off' });
});

// Rules: C-9.
test('C-9: one death of a server moves those who wait once; who is found dead of it later comes after them', () => {
  const lives = [1, 2, 3].map((n) =>
    running('transient', { spec: spec('transient', `s${n}`), incarnation: incarnation(n) }),
  );
  const waiting = running('transient', { spec: spec('transient', 's4'), state: 'backing_off', waitMs: 500 });
  const records = Object.fromEntries([...lives, waiting].map((r) => [r.spec.name, r]));
  const live = { s4: { dueAt: 5_500, rpc: null } };
  let book: SessionsState = { ...emptyBook({ policy, entropy: 'test', agents: [] }), records, live };
  const [absent, unknown] = ['absent', 'unknown'] as const;
  const scan = (at: number, dead: readonly string[]): Record<string, number | null | undefined> => {
    const seen = Object.values(book.records).flatMap(({ spec: { name }, incarnation: life, state }) =>
      life === null || state !== 'running'
        ? []
        : [{ name, uuid: life.uuid, exit: null, maybeSignalled: false, life: dead.includes(name) ? absent : unknown }],
    );
    book = { ...book, ...decide(book, scanned({ server: 'gone', seen }, at)).changes };
    return Object.fromEntries(
      Object.entries(book.live).flatMap(([name, { dueAt }]) => (dueAt === null ? [] : [[name, dueAt]])),
    );
  };
  const first = scan(5_000, ['s1']);
  const waitMs = (first['s4'] ?? 0) - 5_000;
  expect(waitMs).toBeGreaterThan(500);
  expect(first).toEqual({ s4: 5_000 + waitMs, s1: 5_000 + waitMs + policy.staggerMs });
  const second = scan(5_200, ['s2']);
  expect(second).toEqual({ ...first, s2: (first['s1'] ?? 0) + policy.staggerMs });
  expect([book.records['s4']?.waitMs, book.records['s1']?.waitMs]).toEqual([waitMs, waitMs + policy.staggerMs]);
  const third = scan(60_000, ['s3']);
  expect(third).toEqual({ ...second, s3: 60_000 + waitMs });
});

test('a death that is told before its start is: the next look follows at once, and its exit is known', () => {
  const record: SessionRecord = { ...running('transient'), state: 'starting', pending: 'uuid-1' };
  const book = { ...emptyBook({ policy, entropy: 'test', agents: [] }), records: { s1: record }, nextScanAt: 7_000 };
  const born = incarnation(1, { session: 's1' });
  const stamp = { at: 5_000, wall: 5_000 };
  const died = { type: 'SESSION_DIED', server: born.server.pid, paneId: born.paneId, exit: CLEAN, ...stamp } as const;
  const told = { ...book, ...decide(book, died).changes, nextScanAt: 7_000 };
  const re = { issuer: 'sessions', verb: 'start', life: 'uuid-1' } as const;
  const start = { type: 'SESSION_STARTED', incarnation: born, tokenHash: 'hash', re } as const;
  const begun = { ...told, ...decide(told, { ...start, ...stamp }).changes };
  expect(begun).toMatchObject({ nextScanAt: stamp.at, wakeAt: stamp.at });
  const seen = [{ name: 's1', uuid: 'uuid-1', life: 'absent', exit: null, maybeSignalled: false }] as const;
  expect(decide(begun, scanned({ server: 'up', seen }, 5_000)).changes.records?.['s1']).toMatchObject({
    state: 'ended',
    lastExit: CLEAN,
  });
  const quietly = { ...book, ...decide(book, { ...start, ...stamp }).changes };
  expect(quietly.nextScanAt).toBe(7_000);
});

test('the pane of a clean exit is cleared only once what it shows is saved (law 4)', () => {
  const record = running('transient', { incarnation: incarnation(1) });
  const book = { ...emptyBook({ policy, entropy: 'test', agents: [] }), records: { [record.spec.name]: record } };
  const seen = [{ name: record.spec.name, uuid: 'uuid-1', life: 'dead', exit: CLEAN, maybeSignalled: false }] as const;
  const clears = decide(book, scanned({ server: 'up', seen }, 5_000)).orders.filter(({ type }) => type === 'clear');
  expect(clears).toMatchObject([{ unsaved: true }]);
});

test.each([
  [[], 0],
  [['polecat', 'rig:shop'], 1],
])('the end of a session with the tags %j is news to %i rig', (tags, heard) => {
  const record = running('temporary', { spec: { ...spec('temporary'), tags }, incarnation: incarnation(1) });
  const book = { ...emptyBook({ policy, entropy: 'test', agents: [] }), records: { [record.spec.name]: record } };
  const end = { name: record.spec.name, uuid: 'uuid-1', life: 'dead', exit: CLEAN, maybeSignalled: false } as const;
  const { orders } = decide(book, scanned({ server: 'up', seen: [end] }, 5_000));
  const news = { type: 'CHANGED', what: 'ends' };
  expect(orders.filter((one) => one.type === 'announce')).toMatchObject(heard === 1 ? [{ news }] : []);
});

test('a spell of stability is put on record in steps: a kill -9 takes one of them at most, and then the streak is forgotten', () => {
  const life = incarnation(1, { session: 's1' });
  const written: number[] = [];
  const drive = new Drive(new Machine().hands, {
    sessions: [running('transient', { incarnation: life, streak: 3 })],
    watch: ({ records }) => {
      for (const { kind, value } of records) if (kind === 'session') written.push(value.stableMs);
    },
  });
  drive.run(policy.stableMs * 0.57);
  expect(written.map((ms) => Math.floor((ms / policy.stableMs) * policy.stableSteps))).toEqual([0, 1, 2, 3, 4, 5]); // the first as it was read
  drive.restart(0);
  drive.run(policy.stableMs * 0.35);
  expect(drive.session('s1').streak).toBe(3);
  drive.run(policy.stableMs * 0.2);
  expect(drive.session('s1')).toMatchObject({ streak: 0, stableMs: 0 });
});
