/** Boot's judgement (C-2, C-4, C-5): the matrix as a table, its edges, what forbids judging, and what is done about it. */
import { describe, expect, test } from 'vitest';
import { bandOf, freshMemory, judge, NUDGE_TEXT, whyUnjudged, WAKE_TEXT } from '../../machines/watchdog/matrix.ts';
import { POLICY } from '../../machines/policy.ts';
import { PANE_MOODS, type BootMemory, type DeaconSeen } from '../../machines/protocol/watchdog.ts';
import { cells } from '../hearings/lone.ts';
import { ChainTown, DEACON, GONE, HEARTBEAT, LIFE, WELL } from './chain.ts';

const MINUTE = 60_000;
const { watchdog } = POLICY;
const aged = (ageMs: number, more: Partial<DeaconSeen> = {}): DeaconSeen => ({
  ...WELL,
  heartbeat: { ageMs, mine: true, dueInMs: null },
  ...more,
});
const LATE = aged(20 * MINUTE);
const judged = (seen: DeaconSeen, memory: BootMemory = freshMemory(LIFE.uuid)) =>
  judge(seen, memory, watchdog, 'hq-deacon');

const AGES = { fresh: 1 * MINUTE, stale: 10 * MINUTE, very_stale: 20 * MINUTE } as const;
/** Heartbeat and mail, null = its mailbox cannot be read; below each pane the action, and whether a person is told. */
const MATRIX = `
                | blocked      | busy    | idle    | unreadable | none
fresh 0         | NOTHING      | NOTHING | NOTHING | NOTHING    | NOTHING
fresh 2         | NOTHING      | NOTHING | NOTHING | NOTHING    | NOTHING
fresh null      | NOTHING      | NOTHING | NOTHING | NOTHING    | NOTHING
stale 0         | NOTHING      | NOTHING | NOTHING | NOTHING    | NOTHING
stale 2         | NOTHING told | NOTHING | NUDGE   | NUDGE      | NUDGE
stale null      | NOTHING      | NOTHING | NOTHING | NOTHING    | NOTHING
very_stale 0    | NOTHING told | NOTHING | WAKE    | WAKE       | WAKE
very_stale 2    | NOTHING told | NOTHING | WAKE    | WAKE       | WAKE
very_stale null | NOTHING told | NOTHING | WAKE    | WAKE       | WAKE
`;
// Rules: C-2.
test.each<string[]>(cells(MATRIX).map(({ row, column, cell }) => [...row.split(' '), column, cell]))(
  '%s heartbeat, %s messages, pane %s: %s',
  (band = '', mail, pane, expected) => {
    const more = { mail: mail === 'null' ? null : Number(mail), pane: pane as DeaconSeen['pane'] };
    const { action, alert } = judged(aged(AGES[band as keyof typeof AGES], more));
    expect(`${action}${alert === null ? '' : ' told'}`).toBe(expected);
  },
);

test('the table above names every pane', () => expect(PANE_MOODS).toHaveLength(5));

describe('the edges', () => {
  // Rules: C-2.
  test.each([
    [5 * MINUTE - 1, 'fresh'],
    [5 * MINUTE, 'stale'],
    [15 * MINUTE, 'stale'],
    [15 * MINUTE + 1, 'very_stale'],
  ] as const)('a heartbeat of %i ms is %s', (ageMs, band) => {
    expect(bandOf(aged(ageMs), watchdog.boot)).toBe(band);
  });

  test.each([
    ['announced and not over', 8 * MINUTE, 1, 'fresh'],
    ['announced and over this moment', 8 * MINUTE, 0, 'stale'],
    ['announced further ahead than allowed', 9 * MINUTE, 60 * MINUTE, 'fresh'],
    ['announced further ahead than allowed, and that is over', 10 * MINUTE, 60 * MINUTE, 'stale'],
    ['announced for ever', 16 * MINUTE, 600 * MINUTE, 'very_stale'],
  ] as const)('%s', (_, ageMs, dueInMs, band) => {
    expect(bandOf(aged(0, { heartbeat: { ageMs, mine: true, dueInMs } }), watchdog.boot)).toBe(band);
  });

  test.each([
    ['a beat of another life', { ageMs: 0, mine: false, dueInMs: 5 * MINUTE }],
    ['no beat at all', null],
  ] as const)('%s is as old as the life itself', (_, heartbeat) => {
    const at = (startedMsAgo: number) => bandOf({ ...WELL, heartbeat, startedMsAgo }, watchdog.boot);
    expect([at(5 * MINUTE - 1), at(5 * MINUTE), at(15 * MINUTE), at(15 * MINUTE + 1)]).toEqual([
      'fresh',
      'stale',
      'stale',
      'very_stale',
    ]);
  });
});

describe('what forbids judging', () => {
  test.each([
    ['dead', GONE, 'START'],
    ['dead and paused', { ...GONE, paused: true }, 'NOTHING'],
    ['gone because it asked for it', { ...GONE, retired: true }, 'NOTHING'],
    ['unknown', { ...LATE, alive: 'unknown' }, 'NOTHING'],
    ['silent and paused', { ...LATE, paused: true }, 'NOTHING'],
    ['silent and heard', { ...LATE, isHeard: true }, 'NOTHING'],
    ['dead and heard', { ...GONE, isHeard: true }, 'START'],
    ['silent, started 4:59.999 ago', { ...LATE, startedMsAgo: 5 * MINUTE - 1 }, 'NOTHING'],
    ['silent, started 5:00 ago', { ...LATE, startedMsAgo: 5 * MINUTE }, 'WAKE'],
  ] as const)('%s: %s', (_, seen, action) => expect(judged(seen).action).toBe(action));
  test('a well one is judged', () => expect(whyUnjudged(WELL, watchdog.boot)).toBeNull());
});

describe('stuck (C-5)', () => {
  test.each([
    [0, 'WAKE'],
    [1, 'WAKE'],
    [2, 'WARRANT'],
  ] as const)('after %i wake-ups without effect: %s', (wakes, action) => {
    expect(judged(LATE, { ...freshMemory(LIFE.uuid), wakes }).action).toBe(action);
  });
  test('an actor crashes instead, and its supervisor starts it again', () => {
    const actor = { ...LATE, life: null, pane: 'none' } as const;
    expect(judge(actor, { ...freshMemory(null), wakes: 2 }, watchdog, 'actor').action).toBe('RESTART');
  });
  // Rules: C-4.
  test('the warrant has the guards of the wake-up: blocked and busy keep it back (C-4)', () => {
    const stuck = { ...freshMemory(LIFE.uuid), wakes: 2 };
    expect(judged({ ...LATE, pane: 'blocked' }, stuck).action).toBe('NOTHING');
    expect(judged({ ...LATE, pane: 'busy' }, stuck).action).toBe('NOTHING');
  });
  test('busy spares one wake-up, not two', () => {
    const first = judged({ ...LATE, pane: 'busy' });
    expect(first).toMatchObject({ action: 'NOTHING', memory: { spared: true } });
    expect(judged({ ...LATE, pane: 'busy' }, first.memory).action).toBe('WAKE');
  });
  test("another life's wake-ups do not count, and a fresh beat forgets them", () => {
    expect(judged(LATE, { ...freshMemory('another'), wakes: 2 }).action).toBe('WAKE');
    expect(judged(WELL, { ...freshMemory(LIFE.uuid), wakes: 2 }).memory.wakes).toBe(0);
  });
});

describe('a triage on the tree', () => {
  test('the first at start; it writes its mark before it looks and removes it at its end', () => {
    const town = new ChainTown();
    const marks: (object | null)[] = [];
    town.instead.observeDeacon = null;
    town.run(100);
    marks.push(town.note('bootRunning'));
    const [observe] = town.drive.given('observeDeacon').filter(({ id }) => id.issuer === 'boot');
    town.drive.outcome(observe!.id, { type: 'DEACON_OBSERVED', seen: WELL });
    marks.push(town.note('bootRunning'));
    expect(marks).toEqual([{ at: expect.any(Number) as number }, null]);
    expect(town.note('bootStatus')).toMatchObject({ action: 'NOTHING', session: 'hq-deacon', heartbeatAgeMs: 0 });
  });

  // Rules: C-5.
  test('wake, wake, then a warrant like anyone’s', () => {
    const town = new ChainTown();
    town.seen = LATE;
    town.run(100);
    expect(town.drive.given('nudge')).toMatchObject([{ text: WAKE_TEXT, from: 'gt-boot', target: LIFE }]);
    town.run(HEARTBEAT);
    expect(town.drive.given('nudge')).toHaveLength(2);
    expect(town.drive.given('fileWarrant')).toHaveLength(0);
    town.run(HEARTBEAT);
    expect(town.drive.given('fileWarrant')).toMatchObject([
      { warrant: { target: LIFE, requester: 'gt-boot', force: false } },
    ]);
    expect(town.note('bootStatus')).toMatchObject({ action: 'WARRANT', result: 'filed' });
  });

  test('a nudge that another one came before is no wake-up; one that cannot be typed reaches a person', () => {
    const town = new ChainTown();
    town.seen = LATE;
    town.instead.nudge = { type: 'NOT_NUDGED', obstacle: { kind: 'recent', what: 'nudged just now', waitMs: 9 } };
    town.run(4 * HEARTBEAT);
    expect([town.note('bootStatus')?.memory.wakes, town.alerts]).toEqual([
      0,
      expect.not.arrayContaining(['deacon-unreachable/hq-deacon']),
    ]);
    town.instead.nudge = { type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: 'a half-typed line' } };
    town.run(2 * HEARTBEAT);
    expect(town.alerts).toContain('deacon-unreachable/hq-deacon');
    expect(town.drive.given('fileWarrant')).toHaveLength(0);
  });

  test('stale with mail: a check-in', () => {
    const town = new ChainTown();
    town.seen = aged(10 * MINUTE, { mail: 1 });
    town.run(100);
    expect(town.drive.given('nudge')).toMatchObject([{ text: NUDGE_TEXT }]);
  });

  // Rules: C-2.
  test('it always ends: at its deadline when nothing answers', () => {
    const town = new ChainTown();
    town.instead.observeDeacon = null;
    town.run(100 + watchdog.boot.deadlineMs);
    expect(town.note('bootRunning')).toBeNull();
    expect(town.note('bootStatus')).toMatchObject({ action: 'NOTHING', result: 'ended at its deadline' });
    delete town.instead.observeDeacon;
    town.run(HEARTBEAT);
    expect(town.note('bootStatus')).toMatchObject({ result: 'done' });
  });

  test.each([
    [1 * MINUTE, 0],
    [5 * MINUTE, 1],
  ])('a mark of %i ms found at start: %i triages at the first tick', (runningMs, count) => {
    const town = new ChainTown();
    town.instead.readBoot = { type: 'BOOT_READ', runningMs, status: null };
    town.drive.restart(1);
    const before = town.drive.given('observeDeacon').length;
    town.run(500);
    const mine = town.drive
      .given('observeDeacon')
      .slice(before - 2)
      .filter(({ id }) => id.issuer === 'boot');
    expect(mine.length >= 1 ? 1 : 0).toBe(count === 0 ? 0 : 1);
  });

  // Rules: C-5.
  test('the count of wake-ups survives a restart of the town', () => {
    const town = new ChainTown();
    town.seen = LATE;
    town.run(HEARTBEAT + 100);
    expect(town.note('bootStatus')?.memory.wakes).toBe(2);
    town.drive.restart(1_000);
    town.run(100);
    expect(town.drive.given('fileWarrant')).toHaveLength(1);
  });

  test('asked for by a caller: one triage now, answered once', () => {
    const town = new ChainTown();
    town.run(100);
    town.drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'bootTriage' } });
    town.run(100);
    expect(town.drive.given('reply')).toMatchObject([{ to: 'r1', reply: { ok: true, value: { action: 'NOTHING' } } }]);
  });

  test('a dead session is started once, however many links of the chain want it', () => {
    const town = new ChainTown();
    town.seen = GONE;
    town.found = 'absent';
    town.run(500);
    expect(town.announced('SESSION_WANTED').length).toBeGreaterThan(1);
    expect(town.drive.given('startSession')).toMatchObject([{ spec: DEACON }]);
  });

  test('no command to start: a person is told, nothing is started', () => {
    const town = new ChainTown({ ...DEACON, command: [] });
    town.seen = GONE;
    town.found = 'absent';
    town.run(500);
    expect([town.alerts, town.drive.given('startSession')]).toEqual([['deacon-no-command/hq-deacon'], []]);
  });
});

test('what a person was told ends once, when the Deacon is well again', () => {
  const town = new ChainTown();
  const ends = () => town.drive.given('endAlert').filter(({ episode }) => episode.startsWith('deacon-blocked')).length;
  town.run(3 * HEARTBEAT);
  const atStart = ends(); // what an earlier process may have told
  town.seen = aged(20 * MINUTE, { pane: 'blocked', what: 'Proceed?' });
  town.run(HEARTBEAT);
  expect(town.alerts).toEqual(['deacon-blocked/hq-deacon']);
  expect(ends()).toBe(atStart);
  town.seen = WELL;
  town.run(3 * HEARTBEAT);
  expect(ends()).toBe(atStart + 1);
});
