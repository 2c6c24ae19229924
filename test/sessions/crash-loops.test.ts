/** Sessions that end again and again: by crashes (C-6), and cleanly (law 9). */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SessionRecord } from '../../machines/protocol.ts';
import { CLEAN } from '../world/machine.ts';
import { life, running, spec } from './one.ts';
import { type Say, town } from './lasting.ts';

describe('clean ends, again and again (law 9)', () => {
  const { crashLoopRestarts, withinMs, stableMs, scanEveryMs } = POLICY.sessions;
  const STARTED: OutcomeBody = { type: 'SESSION_STARTED', incarnation: life, tokenHash: 'hash' };
  const ends = (most: number, agesMs = 0): Partial<SessionRecord> => ({
    streak: most,
    cleanAgesMs: Array.from({ length: most }, () => agesMs),
  });
  const ending: Say = { life: 'dead', exit: CLEAN, start: STARTED };

  // Rules: law 9.
  test('are one episode, charge no budget, and are over when it runs steadily, also across a restart', () => {
    const say = { ...ending };
    const { drive, told, over, now } = town(running(), say);
    drive.run(withinMs);
    expect([new Set(told()), over()]).toEqual([new Set(['ends-at-once/s1']), []]);
    expect(now()).toMatchObject({ restless: true, crashLoop: false, restartAgesMs: [] });
    expect(drive.given('alert')[0]).toMatchObject({ alert: { severity: 'medium', session: 's1' } });
    drive.restart(1_000);
    say.life = 'alive';
    const before = told().length;
    drive.run(stableMs + withinMs);
    expect([told().length, over()]).toEqual([before, ['ends-at-once/s1']]);
    expect(now().restless).toBeUndefined();
  });

  test.each([
    ['as many as make a crash loop', ends(crashLoopRestarts - 1), ['ends-at-once/s1']],
    ['one fewer', ends(crashLoopRestarts - 2), []],
    ['as many, the first ones long ago', ends(crashLoopRestarts - 1, withinMs), []],
    ['as many, but most were crashes', { ...ends(1), streak: crashLoopRestarts - 1 }, []],
  ])('%s', (_, before, expected) => {
    const { drive, told } = town(running(before), { life: 'dead', exit: CLEAN });
    drive.run(scanEveryMs);
    expect(told()).toEqual(expected);
  });

  test('are over when it ends for good, and when a person starts it', () => {
    const over = { restless: true, ...ends(crashLoopRestarts) };
    const gone = town(running({ ...over, spec: { ...spec, restart: 'transient' } }), { ...ending });
    gone.drive.run(1_000);
    expect([gone.now().state, gone.over()]).toEqual(['ended', ['ends-at-once/s1']]);
    const taken = town(running(over), { life: 'alive' });
    taken.drive.run(1_000);
    taken.drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec } });
    taken.drive.run(1_000);
    expect(taken.over()).toEqual(['ends-at-once/s1']);
    expect(taken.drive.given('reply')).toMatchObject([{ reply: { ok: true } }]);
  });
});

describe('a crash loop', () => {
  // Rules: law 8.
  test.each<[string, Partial<SessionRecord>, Partial<Say>]>([
    ['exits cleanly and stays so', {}, { exit: CLEAN }],
    ['is executed', {}, { maybeSignalled: true }],
    ['asked for its own end', { asked: { uuid: life.uuid, then: 'end' } }, {}],
  ])('is over when its agent %s: it is not tried on', (_, more, end) => {
    const record = running({ crashLoop: true, streak: 6, spec: { ...spec, restart: 'transient' }, ...more });
    const { drive, now } = town(record, { life: 'dead', ...end });
    drive.run(1_000);
    expect([now().state, now().crashLoop, drive.ends.filter((one) => one === 'crash-loop/s1')]).toEqual([
      'ended',
      false,
      ['crash-loop/s1'],
    ]);
  });

  test('is not over when its agent is started again after any end', () => {
    const { drive, over, now } = town(running({ crashLoop: true, streak: 6 }), { life: 'dead', exit: CLEAN });
    drive.run(1_000);
    expect([now().state, now().crashLoop, over()]).toEqual(['backing_off', true, []]);
  });
});
