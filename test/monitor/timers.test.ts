/** Named timers in virtual time (M-6). */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { MAX_TIMERS } from '../../machines/monitor/policy.ts';
import type { OutcomeBody } from '../../machines/protocol.ts';
import { remindHand } from '../../src/monitor/remind.ts';
import { session } from '../state/make.ts';
import { Drive, townInput } from '../world/drive.ts';
import { SECOND } from './town.ts';

function town(outcome: OutcomeBody = { type: 'NUDGED' }) {
  const drive = new Drive([{ remind: outcome }], { input: townInput(POLICY, { monitors: true }) });
  const start = (timer: string, interval: number, message = 'check', name = 'w1') =>
    drive.ask({ verb: 'startTimer', name, timer, interval, message });
  const typed = (): string[] => drive.given('remind').map(({ session, text }) => `${session}: ${text}`);
  return { drive, start, typed };
}

// Rules: M-6.
test('a timer types first after one interval, and then at each', () => {
  const { drive, start, typed } = town();
  expect(start('default', 30)).toMatchObject({ ok: true, value: { name: 'default', session: 'w1', intervalSecs: 30 } });
  drive.run(29 * SECOND);
  expect(typed()).toEqual([]);
  drive.run(SECOND);
  expect(typed()).toEqual(['w1: check']);
  drive.run(60 * SECOND);
  expect(typed()).toEqual(['w1: check', 'w1: check', 'w1: check']);
});

// Rules: M-6.
test('one of the same name takes its place, others go on beside it', () => {
  const { drive, start, typed } = town();
  start('default', 30);
  start('other', 30, 'sum up', 'w2');
  drive.run(20 * SECOND);
  start('default', 30, 'look');
  drive.run(29 * SECOND);
  expect(typed()).toEqual(['w2: sum up']);
  drive.run(SECOND);
  expect(typed()).toEqual(['w2: sum up', 'w1: look']);
});

// Rules: M-6.
test('a restarted town keeps them, and begins with one interval', () => {
  const { drive, start, typed } = town();
  start('default', 30);
  drive.run(20 * SECOND);
  drive.restart(20 * SECOND);
  drive.run(29 * SECOND);
  expect(typed()).toEqual([]);
  drive.run(SECOND);
  expect(typed()).toEqual(['w1: check']);
});

// Rules: M-6.
test('what cannot be typed is left out, and the timer goes on', () => {
  const { drive, start, typed } = town({ type: 'NOT_NUDGED', obstacle: { kind: 'gone', paneStays: false } });
  start('default', 30);
  drive.run(90 * SECOND);
  expect(typed().length).toBe(3);
});

// Rules: M-6.
test('stopped, one or all, nothing is typed any more, after a restart too', () => {
  const { drive, start, typed } = town();
  start('default', 30);
  start('other', 30);
  expect(drive.ask({ verb: 'stopTimer', timer: 'other' })).toMatchObject({ ok: true, value: { stopped: ['other'] } });
  drive.run(30 * SECOND);
  expect(typed().length).toBe(1);
  expect(drive.ask({ verb: 'stopTimer', timer: null })).toMatchObject({ ok: true, value: { stopped: ['default'] } });
  drive.restart(SECOND);
  drive.run(90 * SECOND);
  expect(typed().length).toBe(1);
});

// Rules: M-6.
test('an unknown one is refused by its name, and so is one too many', () => {
  const { drive, start } = town();
  for (const timer of ['absent', 'constructor'])
    expect(drive.ask({ verb: 'stopTimer', timer })).toMatchObject({ ok: false, exit: 2, code: 'unknown_timer' });
  for (let n = 0; n < MAX_TIMERS; n += 1) start(`t${n}`, 30);
  expect(start('more', 30)).toMatchObject({ ok: false, exit: 2, code: 'many_timers' });
  expect(start('t0', 60)).toMatchObject({ ok: true });
});

// Rules: M-6.
test('what keeps a timer from typing is one line in the log, until it types or something else keeps it', async () => {
  const said: string[] = [];
  let kind: 'person' | 'dialog' | null = 'dialog';
  const nudge = (): Promise<OutcomeBody> =>
    Promise.resolve(kind === null ? { type: 'NUDGED' } : { type: 'NOT_NUDGED', obstacle: { kind, what: '' } });
  const remind = remindHand({
    session: () => Promise.resolve(session('w1')),
    nudge,
    held: () => Promise.resolve(null),
    log: (text) => void said.push(text),
  });
  for (const now of ['dialog', 'dialog', 'dialog', 'person', null, null, 'person', 'person'] as const) {
    kind = now;
    const id = { issuer: 'timers', verb: 'remind', round: 1, name: 'default' } as const;
    await remind({ type: 'remind', id, session: 'w1', text: 'check' }, new AbortController().signal);
  }
  expect(said.map((line) => line.split(': ').at(-1))).toEqual(['dialog', 'person', 'person']);
});
