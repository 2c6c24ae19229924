/** P-17 as a table: what is late, what tmux said, whether that is well, and with which code `town health` ends. */
import { describe, expect, test } from 'vitest';
import type { News, OrderId, Outcome, SavedRecord, SessionSpec, SessionState } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { exitOf, judge, Pulse } from '../../src/inspect/health.ts';
import { NO_SERVER } from '../../src/tmux/errors.ts';

const STEP_MS = 5_000;
const SCAN_MS = 2_000;
const NOW = 1_000_000;
const SPEC: SessionSpec = { name: 'builder', command: [], dir: '/', tags: [], restart: 'transient', process: null };

/** Ages of step and scan (null = not yet), age of the town, tmux, degraded -> late, well, exit. */
const TABLE: [string, number | null, number | null, number, boolean | null, boolean, string[], boolean, number][] = [
  ['all is on time', 0, 0, 60_000, true, false, [], true, 0],
  ['just in time', 10_000, 4_000, 60_000, true, false, [], true, 0],
  ['the step is late', 10_001, 0, 60_000, true, false, ['step'], false, 1],
  ['the scan is late', 0, 4_001, 60_000, true, false, ['scan'], false, 1],
  ['both are late', 99_000, 99_000, 99_000, true, false, ['step', 'scan'], false, 1],
  ['tmux is silent', 0, 0, 60_000, false, false, [], false, 4],
  ['a silent tmux makes the scan late', 0, 9_000, 60_000, false, true, ['scan'], false, 4],
  ['a late step is not tmux’s fault', 11_000, 9_000, 60_000, false, true, ['step', 'scan'], false, 1],
  ['degraded by the disk, and on time', 0, 0, 60_000, true, true, [], true, 4],
  ['degraded and late', 11_000, 0, 60_000, true, true, ['step'], false, 1],
  ['just started', null, null, 100, null, false, [], true, 0],
  ['started and never scanned', 0, null, 4_001, null, false, ['scan'], false, 1],
  ['started and never stepped', null, null, 10_001, null, false, ['step', 'scan'], false, 1],
];

describe('the verdict', () => {
  test.each(TABLE)('%s', (_, step, scan, age, tmux, isDegraded, late, well, exit) => {
    const at = (ms: number | null): number | null => (ms === null ? null : NOW - ms);
    const beats = [
      { what: 'step', everyMs: STEP_MS, at: at(step) },
      { what: 'scan', everyMs: SCAN_MS, at: at(scan) },
    ];
    const view = judge({ startedAt: NOW - age, beats, tmux }, NOW, 2);
    expect([view.late.map(({ what }) => what), view.well]).toEqual([late, well]);
    expect(exitOf(view, isDegraded)).toBe(exit);
    expect(view.ages_ms).toEqual({ step, scan });
  });

  // Rules: P-17.
  test('names what is late, how late, and its limit', () => {
    const beats = [{ what: 'scan', everyMs: SCAN_MS, at: NOW - 7_000 }];
    expect(judge({ startedAt: 0, beats, tmux: true }, NOW, 2).late).toEqual([
      { what: 'scan', age_ms: 7_000, limit_ms: 4_000 },
    ]);
  });
});

describe('the pulse', () => {
  const PACE = { round: 300_000, step: STEP_MS, scan: SCAN_MS, patrol: 60_000 };
  const stamp = (at: number) => ({ at, wall: at });
  const scan = (server: 'up' | 'none' | 'gone' | 'unknown'): Outcome => ({
    type: 'SESSIONS_SEEN',
    server,
    seen: [],
    re: { issuer: 'sessions', verb: 'scan' },
    ...stamp(0),
  });
  const failed = (re: OrderId, why = 'no outcome'): Outcome => ({ type: 'ORDER_FAILED', why, re, ...stamp(0) });
  const connected: Outcome = { type: 'CONNECTED', what: 'tmux', re: { issuer: 'connect', name: 'tmux' }, ...stamp(0) };
  const session = (state: SessionState) => ({ ...freshSession(SPEC, 'uuid'), state });
  const record = (state: SessionState): SavedRecord => ({ kind: 'session', id: SPEC.name, value: session(state) });
  const read = (...states: SessionState[]): Outcome => ({
    type: 'SESSIONS_READ',
    sessions: states.map(session),
    re: { issuer: 'sessions', verb: 'read' },
    ...stamp(0),
  });

  test.each<[string, (News | Outcome)[], string]>([
    ['a scan that saw', [scan('up')], 'answered'],
    ['no server is an answer', [scan('none')], 'answered'],
    ['a dead server is an answer', [scan('gone')], 'answered'],
    ['a scan that could not see', [scan('unknown')], 'silent'],
    ['a scan that failed', [failed({ issuer: 'sessions', verb: 'scan' })], 'silent'],
    ['the last of several', [scan('unknown'), scan('up')], 'answered'],
    ['a connection', [connected], 'answered'],
    ['no connection, as no server runs', [failed({ issuer: 'connect', name: 'tmux' }, NO_SERVER)], 'answered'],
    ['no connection', [failed({ issuer: 'connect', name: 'tmux' })], 'silent'],
    ['no connection, though a scan by calls sees', [failed({ issuer: 'connect', name: 'tmux' }), scan('up')], 'silent'],
    ['a connection after that', [failed({ issuer: 'connect', name: 'tmux' }), scan('up'), connected], 'answered'],
    ['another order that failed', [failed({ dance: 'dog-1', verb: 'look' })], 'unknown'],
  ])('hears of tmux from %s', (_, facts, tmux) => {
    const pulse = new Pulse(0, PACE);
    pulse.stepped({ facts, records: [] }, 50);
    expect(pulse.view(50, 2)).toMatchObject({ tmux, ages_ms: { step: 0 } });
  });

  test('expects scans while there is a session to look at, from when there is', () => {
    const pulse = new Pulse(0, PACE);
    const agesAt = (now: number) => pulse.view(now, 2).ages_ms;
    pulse.stepped({ facts: [read('ended', 'backing_off')], records: [] }, 10);
    expect(agesAt(100)).not.toHaveProperty('scan');
    pulse.stepped({ facts: [], records: [record('running')] }, 100_000);
    expect(agesAt(100_001)).toMatchObject({ scan: 1 });
    expect(pulse.view(104_001, 2).late.map(({ what }) => what)).toContain('scan');
    pulse.stepped({ facts: [scan('up')], records: [] }, 104_001);
    expect(agesAt(104_002)).toMatchObject({ scan: 1 });
    pulse.stepped({ facts: [], records: [record('ended')] }, 104_003);
    expect(agesAt(999_999)).not.toHaveProperty('scan');
    const other = new Pulse(0, PACE);
    other.stepped({ facts: [read('observed')], records: [] }, 20);
    expect(other.view(21, 2).ages_ms).toMatchObject({ scan: 1 });
  });

  // Rules: P-17.
  test('expects the patrol of a Deacon that is an actor', () => {
    const beat: SavedRecord = {
      kind: 'note',
      id: 'heartbeat',
      value: { at: 0, cycle: 1, lastAction: '', healthy: 0, unhealthy: 0, nextDueAt: 0, incarnation: null },
    };
    const pulse = new Pulse(0, PACE);
    pulse.stepped({ facts: [], records: [beat] }, 1_000);
    pulse.stepped({ facts: [], records: [] }, 121_001);
    expect(pulse.view(121_001, 2).late).toEqual([{ what: 'patrol', age_ms: 120_001, limit_ms: 120_000 }]);
    expect(new Pulse(0, { ...PACE, patrol: null }).view(0, 2).ages_ms).not.toHaveProperty('patrol');
  });

  test('a round that is paused was made; one that comes to nothing each time is late', () => {
    const re = { issuer: 'patrol', rig: 'shop', turn: 1 } as const;
    const found = { observed: {}, deeds: [], stranded: [], isActive: false, isPaused: true };
    const heard = (fact: object, at: number): News | Outcome => ({ ...fact, ...stamp(at) }) as News | Outcome;
    const pulse = new Pulse(0, PACE);
    pulse.stepped({ facts: [heard({ type: 'RIGS_SEEN', rigs: ['shop'] }, 0)], records: [] }, 0);
    const late = (at: number): string[] =>
      pulse.view(at, 2).late.flatMap(({ what }) => (what.startsWith('patrol of') ? [what] : []));
    const over = 2 * PACE.round + 1;
    pulse.stepped({ facts: [heard({ type: 'PATROLLED', found, re }, over - 1)], records: [] }, over - 1);
    expect(late(over)).toEqual(['patrol of deacon']);
    pulse.stepped({ facts: [failed(re)], records: [] }, 2 * over);
    expect(late(2 * over).sort()).toEqual(['patrol of deacon', 'patrol of shop']);
    pulse.stepped({ facts: [heard({ type: 'RIGS_SEEN', rigs: [] }, 2 * over)], records: [] }, 2 * over);
    expect(late(2 * over)).toEqual(['patrol of deacon']);
  });
});
