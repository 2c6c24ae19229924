/** A start that fails again and again (C-6), and a start by hand of a session that runs. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SessionRecord } from '../../machines/protocol.ts';
import { emptyBook } from '../../machines/sessions/state.ts';
import { decide } from '../../machines/sessions/machine.ts';
import { Drive, townInput } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { Machine } from '../world/machine.ts';
import { running, spec } from './one.ts';

const policy = POLICY.sessions;

describe('a start that never works', () => {
  const failing = (outcome: OutcomeBody) => {
    let next: OutcomeBody | null = outcome;
    const machine = new Machine();
    const startSession: SimHands['startSession'] = (order, now) => next ?? machine.start(order, now);
    const drive = new Drive({ startSession }, { input: townInput(POLICY, { agents: [spec] }) });
    const record = () => drive.session('s1');
    const told = () => drive.alerts;
    return { drive, record, told, mend: () => (next = null) };
  };

  // Rules: law 7.
  test.each<OutcomeBody>([
    { type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false },
    { type: 'ORDER_FAILED', why: 'no outcome within 60000 ms' },
  ])('$type: waits like restarts do, spread; a person is told after five, and when it works', (outcome) => {
    const { drive, record, told, mend } = failing(outcome);
    const waits: number[] = [];
    for (let failures = 1; failures <= 12; failures++) {
      while (record().failedStarts !== failures) drive.run(1);
      waits.push(record().waitMs);
      expect(drive.given('startSession')).toHaveLength(failures);
      expect(new Set(told()).size, `after ${failures} failures`).toBe(failures < policy.crashLoopRestarts ? 0 : 1);
    }
    expect(new Set(told())).toEqual(new Set(['start-failing/s1']));
    expect(drive.given('alert')[0]?.alert.text).toContain(outcome.type === 'ORDER_FAILED' ? 'no outcome' : 'folder');
    for (const [n, ms] of waits.entries()) {
      const base = Math.min(policy.backoffMs * 2 ** n, policy.maxBackoffMs);
      expect(Math.abs(ms - base), `wait ${n + 1}`).toBeLessThanOrEqual(base * policy.jitter);
    }
    expect(new Set(waits.slice(-3)).size).toBe(3);
    expect(record().crashLoop).toBe(false);
    mend();
    drive.run(2 * policy.maxBackoffMs);
    expect(record()).toMatchObject({ state: 'running' });
    expect(record().failedStarts).toBeUndefined();
    expect(drive.ends).toEqual(['start-failing/s1']);
  });

  // Rules: law 1, law 7.
  test('one that waits for a person’s word is no failure: no alert, and a caller hears what it waits for', () => {
    const why = 'this root waits for your word';
    const { drive, record, told, mend } = failing({
      type: 'SESSION_NOT_STARTED',
      why,
      taken: false,
      heldBack: true,
      waits: true,
    });
    drive.run(20 * policy.takenRetryMs);
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec: spec } });
    drive.run(10);
    const text = `session s1 waits with its start: ${why}. It then starts by itself`;
    expect(drive.given('reply')).toMatchObject([{ reply: { ok: false, code: 'after_copy', text } }]);
    expect(record()).toMatchObject({ state: 'backing_off', streak: 0, note: `waits with its start: ${why}` });
    expect([record().failedStarts, told()]).toEqual([undefined, []]);
    mend();
    drive.run(2 * policy.takenRetryMs);
    expect(record().state).toBe('running');
  });

  test('a start by hand while it waits for an answer is made at once, counts anew and is what the caller hears', () => {
    const { drive, record, told, mend } = failing({ type: 'ORDER_FAILED', why: 'no outcome within 60000 ms' });
    drive.run(120_000);
    expect(told()).toContain('start-failing/s1');
    mend();
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec: spec } });
    drive.run(10);
    expect(record()).toMatchObject({ state: 'running', streak: 0 });
    expect(drive.ends).toEqual(['start-failing/s1']);
    expect(drive.given('reply').map(({ reply }) => reply)).toMatchObject([{ ok: true, value: { state: 'running' } }]);
  });

  test('a start by hand ends the episode', () => {
    const { drive, told } = failing({ type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false });
    drive.run(120_000);
    expect(told()).toContain('start-failing/s1');
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec: spec } });
    expect(drive.ends).toEqual(['start-failing/s1']);
  });
});

describe('a start by hand of one that runs', () => {
  const asked = (more: Partial<SessionRecord>, other: Partial<SessionRecord['spec']> = {}) => {
    const record = running(more);
    const book = { ...emptyBook({ policy, entropy: 'test', agents: [] }), records: { s1: record } };
    const request = { verb: 'startSession', spec: { ...spec, ...other } } as const;
    return decide(book, { type: 'REQUESTED', rpc: 'r1', request, at: 5_000, wall: 5_000 });
  };

  test('between two tries of a crash loop: the loop and its counts are over, and the reply says so', () => {
    const after = asked({ crashLoop: true, streak: 7, restartAgesMs: [1, 2, 3, 4, 5], stableMs: 9 });
    expect(after.changes.records?.['s1']).toMatchObject({
      state: 'running',
      crashLoop: false,
      streak: 0,
      restartAgesMs: [],
      stableMs: 0,
      incarnation: { uuid: 'uuid-1' },
    });
    expect(after.orders).toMatchObject([
      { type: 'reply', reply: { ok: true, value: { name: 's1', state: 'running', reset: true } } },
    ]);
  });

  test.each(['running', 'starting'] as const)(
    'in a crash loop, %s, with another command: it is not dropped unsaid',
    (state) => {
      const after = asked({ crashLoop: true, streak: 7, state }, { command: ['claude', '--model', 'opus'] });
      expect(after.changes).toEqual({});
      const text = `session s1 is ${state} already, with another command: end it first (town session stop s1), then start it again`;
      expect(after.orders).toMatchObject([{ type: 'reply', reply: { ok: false, code: 'already_running', text } }]);
    },
  );

  test('without trouble is refused, and changes nothing', () => {
    const after = asked({ streak: 2 });
    expect(after.changes).toEqual({});
    expect(after.orders).toMatchObject([{ type: 'reply', reply: { ok: false, code: 'already_running' } }]);
  });
});
