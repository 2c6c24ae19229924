/** Episodes about a session that last, and end: a person at its keys, another session in its name, an adopted one. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody } from '../../machines/protocol.ts';
import { life, running, spec } from './one.ts';
import { RETRY, type Say, town } from './lasting.ts';

describe('a person at the keys of a dead pane', () => {
  const PERSON: OutcomeBody = {
    type: 'SESSION_NOT_STARTED',
    why: 'a person is there',
    taken: false,
    personMs: 600_000,
  };
  const waiting = running({ state: 'backing_off', incarnation: null });

  test('makes its start wait, is told after ten minutes, in one episode, and over with the start', () => {
    const say: Say = { life: 'alive', start: PERSON };
    const { drive, told, over, now } = town(waiting, say);
    drive.run(PERSON.personMs ?? 0);
    const { state, streak, failedStarts, note } = now();
    expect([state, streak, failedStarts, note]).toEqual([
      'backing_off',
      0,
      undefined,
      'waits with its start: a person is there',
    ]);
    expect(told()).toEqual([]);
    drive.run(20 * RETRY);
    // Raised again at each try, so that a kill -9 swallows none; the alerts tell an episode once.
    expect([now().state, new Set(told()), over()]).toEqual(['backing_off', new Set(['start-waits/s1']), []]);
    const starts = drive.given('startSession').length;
    expect(starts).toBeGreaterThan(10);
    say.start = { type: 'SESSION_STARTED', incarnation: { ...life, uuid: '?' }, tokenHash: 'hash' };
    drive.run(RETRY);
    expect(drive.given('startSession').length).toBe(starts + 1);
  });

  test('an operator does not wait, an agent does; each caller is told, and its start is tried on', () => {
    const { drive, now } = town(waiting, { life: 'alive', start: PERSON });
    const ask = (rpc: string, via: 'operator' | 'agent'): (boolean | undefined)[] => {
      drive.tell({ type: 'REQUESTED', rpc, via, request: { verb: 'startSession', spec } });
      drive.run(1_000);
      return [drive.given('startSession').at(-1)?.byHand, drive.given('reply').find(({ to }) => to === rpc)?.reply.ok];
    };
    expect(ask('r1', 'agent')).toEqual([undefined, false]);
    expect(ask('r2', 'operator')).toEqual([true, false]);
    const starts = drive.given('startSession').length;
    drive.run(RETRY);
    expect([now().state, drive.given('startSession').length]).toEqual(['backing_off', starts + 1]);
  });
});

describe('a name that another session is in', () => {
  const TAKEN: OutcomeBody = { type: 'SESSION_NOT_STARTED', why: 'a session s1 is there', taken: true };
  const STARTED: OutcomeBody = { type: 'SESSION_STARTED', incarnation: life, tokenHash: 'hash' };
  const AWAY: OutcomeBody = { type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false };
  const UNKNOWN: OutcomeBody = { type: 'ORDER_FAILED', why: 'tmux is silent' };
  const waiting = running({ state: 'backing_off', incarnation: null });
  function taken() {
    const say: Say = { life: 'alive', start: TAKEN };
    const made = town(waiting, say);
    made.drive.run(1_000);
    expect([made.told(), made.over()]).toEqual([['name-taken/s1'], []]);
    return { ...made, say };
  }

  test('is over when it is started, though the town was restarted and tmux silent meanwhile', () => {
    const { drive, over, now, say } = taken();
    drive.restart(1_000);
    say.start = UNKNOWN;
    drive.run(now().waitMs + 10);
    expect(now().note).toContain('tmux is silent');
    expect(over()).toEqual([]);
    const pending = now().pending ?? '';
    say.start = { ...STARTED, incarnation: { ...life, uuid: pending } };
    drive.run(POLICY.sessions.maxBackoffMs);
    expect([now().state, now().nameTaken, over()]).toEqual(['running', undefined, ['name-taken/s1']]);
  });

  test('is over when something else keeps it from being started', () => {
    const { drive, over, now, say } = taken();
    say.start = AWAY;
    drive.run(RETRY);
    expect([now().nameTaken, over()]).toEqual([undefined, ['name-taken/s1']]);
  });

  test('is over when a person starts it by hand, also where that fails', () => {
    const { drive, over, now } = taken();
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec } });
    drive.run(1_000);
    expect([now().state, now().nameTaken, over()]).toEqual(['ended', undefined, ['name-taken/s1']]);
  });

  test('is over when a person adopts what is in it, which is then never started', () => {
    const { drive, over, now } = taken();
    const starts = drive.given('startSession').length;
    const request = { verb: 'adoptSession', name: 's1', process: null, tags: [] } as const;
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request });
    drive.run(2 * RETRY);
    expect([now().state, over()]).toEqual(['observed', ['name-taken/s1']]);
    expect(drive.given('startSession')).toHaveLength(starts);
  });
});

test.each([
  [{ life: 'dead' }, 'the adopted agent ended; its pane is left alone'],
  [{ life: 'absent' }, 'the adopted agent ended, and its pane with it'],
  [{ life: 'absent', server: 'gone' }, 'the adopted agent ended with its tmux server'],
] as const)('the end of an adopted agent tells what became of its pane: %j', (seen, note) => {
  const found = running({ state: 'observed', incarnation: { ...life, origin: 'adopted' } });
  const { drive, now } = town(found, seen);
  drive.run(2 * POLICY.sessions.scanEveryMs);
  expect(now()).toMatchObject({ state: 'ended', note });
});

test.each<[string | null, object]>([
  [null, { ok: true, value: { uuid: life.uuid, already: true } }],
  ['claude', { ok: true, value: { uuid: life.uuid, already: true } }],
  ['vim', { ok: false, exit: 5, text: expect.stringContaining('with claude (pid 1001) as its agent') as string }],
])('adopted again as %s it keeps its life, and nothing is written', (process, reply) => {
  const adopted = { state: 'observed', spec: { ...spec, process: 'claude' } } as const;
  const { drive } = town(running(adopted), { life: 'alive' });
  drive.run(1_000);
  const before = drive.trail.length;
  drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'adoptSession', name: 's1', process, tags: [] } });
  drive.run(1_000);
  expect(drive.given('reply')).toMatchObject([{ to: 'r1', reply }]);
  expect([drive.given('adoptSession'), drive.trail.length]).toEqual([[], before]);
});
