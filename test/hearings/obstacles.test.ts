/** What becomes of a question that was not typed (D-6): every obstacle, and how long each is borne. */
import { describe, expect, test } from 'vitest';
import type { Obstacle } from '../../machines/protocol.ts';
import { awake, danceAt, MARK, SIGHTS, tools, type LoneDog, type ObservationName } from './lone.ts';
import { PLACES } from './places.ts';

const { policy } = tools();
const BUSY: Obstacle = { kind: 'busy', what: 'copy mode' };
const UNKNOWN: Obstacle = { kind: 'unknown', why: 'tmux did not answer' };
const blocked = (lone: LoneDog, obstacle: Obstacle) => lone.outcome({ type: 'NOT_ASKED', obstacle });
/** A dog whose first question met this. */
function met(obstacle: Obstacle): LoneDog {
  const lone = awake(danceAt({}));
  blocked(lone, obstacle);
  return lone;
}
/** Where an end stands, whether alerting or telling, is no matter of this file. */
const cellOf = (lone: LoneDog) => [
  lone.dance.verdict === null ? lone.state : lone.state.split('.')[0],
  lone.dance.verdict,
  lone.dance.reason,
];
/** Undelivered for `ms`, tried again every `retryMs`. */
const bear = (lone: LoneDog, obstacle: Obstacle, ms: number) => {
  for (let spent = 0; spent < ms; spent += policy.retryMs) {
    lone.pass(policy.retryMs);
    blocked(lone, obstacle);
  }
};

// Rules: D-6.
test.each<[Obstacle, string, string | null, string]>([
  [{ kind: 'dialog', what: 'Proceed?' }, 'pardoned', 'pardoned', 'blocked on a person: Proceed?'],
  [{ kind: 'person', what: 'a key 3 s ago' }, 'interrogating.suspended.waiting', null, ''],
  [{ kind: 'gone', paneStays: true }, 'interrogating.confirming', null, ''],
  [{ kind: 'gone', paneStays: false }, 'interrogating.confirming', null, ''],
  [{ kind: 'paneless', what: 'its pane is gone' }, 'interrogating.confirming', null, ''],
  [{ kind: 'replaced' }, 'complete', 'void', 'another life has the name'],
  [BUSY, 'interrogating.retrying', null, ''],
  [UNKNOWN, 'interrogating.retrying', null, ''],
])('%o -> %s', (obstacle, state, verdict, reason) => {
  const lone = met(obstacle);
  expect(cellOf(lone)).toEqual([state, verdict, reason]);
});

// Rules: D-14, law 7.
test.each<[Obstacle, string]>([
  [{ kind: 'person', what: 'a key 3 s ago' }, 'not typed: a key 3 s ago'],
  [BUSY, 'not typed: copy mode'],
  [UNKNOWN, 'not typed: tmux did not answer'],
])('%o stands in the record until the question is typed', (obstacle, words) => {
  const lone = met(obstacle);
  expect(lone.dance.attempts.map(({ seen }) => seen)).toEqual([words, '', '']);
});

test('what kept a question away is no word about it once it is typed', () => {
  const lone = met(BUSY);
  lone.pass(policy.retryMs);
  lone.outcome({ type: 'ASKED', tail: '', mark: MARK });
  expect(lone.dance.attempts[0]?.seen).toBe('');
});

test('an order to ask that failed is tried again after a pause', () => {
  const lone = awake(danceAt({}));
  lone.outcome({ type: 'ORDER_FAILED', why: 'no outcome within 60000 ms' });
  lone.pass(policy.retryMs);
  expect(lone.typesSince(1)).toEqual(['ask', 'ask']);
});

describe('undelivered is unasked', () => {
  test('no window runs, and the attempt is still the first', () => {
    const lone = met(BUSY);
    bear(lone, BUSY, 10 * 60_000);
    expect(lone.dance).toMatchObject({ attempt: 1, observedMs: 0, verdict: null });
    expect(lone.dance.attempts[0]?.askedAt).toBe(null);
    expect(new Set(lone.typesSince(1))).toEqual(new Set(['ask']));
  });

  // Rules: D-6.
  test('undeliverable for 30 min a person decides; 5 s less and it is still tried', () => {
    const lone = met(BUSY);
    bear(lone, BUSY, policy.undeliverableMs - policy.retryMs);
    expect(lone.state).toBe('interrogating.retrying');
    bear(lone, BUSY, policy.retryMs);
    expect(cellOf(lone)).toEqual(['escalated', 'escalated', 'the question could not be typed: copy mode']);
    expect(lone.typesSince(lone.orders.length - 2)).toEqual(['ask', 'alert']);
  });

  test('blindness is no obstacle of the target: it never escalates, and what was borne before it stays', () => {
    const lone = met(BUSY);
    bear(lone, BUSY, 10 * 60_000);
    bear(lone, UNKNOWN, 2 * policy.undeliverableMs);
    expect(lone.dance).toMatchObject({ verdict: null, undeliveredMs: 10 * 60_000 });
  });

  test('a sleep between two tries counts as two pauses at most', () => {
    const lone = met(BUSY);
    lone.pass(8 * 3_600_000);
    blocked(lone, BUSY);
    expect(lone.dance.undeliveredMs).toBe(2 * policy.retryMs);
  });

  test('once it is typed the window is given in full', () => {
    const lone = met(BUSY);
    bear(lone, BUSY, 20 * 60_000);
    lone.pass(policy.retryMs);
    lone.outcome({ type: 'ASKED', mark: MARK, tail: 'before' });
    expect(lone.dance).toMatchObject({ stage: 'interrogating.listening', observedMs: 0, undeliveredMs: 0 });
    expect(lone.dance.tailBefore).toBe('before');
  });
});

describe('stopped after its question was typed', () => {
  const ENDED = ['escalated', 'escalated', `it cannot be heard: ${SIGHTS.stopped.why}`];
  /** Looked at every `retryMs`, these sights in turn. */
  const see = (lone: LoneDog, ms: number, ...turns: ObservationName[]) => {
    for (let n = 0; n * policy.retryMs < ms; n += 1) {
      lone.pass(policy.retryMs);
      lone.look(SIGHTS[turns[n % turns.length]!]);
    }
  };

  // Rules: D-6, D-7.
  test.each(['unasked', 'listening', 'evaluating 3/3', 'after the intent', 'suspended'] as const)(
    '%s: after 30 min a person decides; 5 s less and it is still looked at',
    (place) => {
      const lone = PLACES[place](danceAt({}));
      lone.look(SIGHTS.stopped);
      if (place === 'suspended') lone.look(SIGHTS.stopped);
      const { undeliveredMs, observedMs } = lone.dance;
      see(lone, policy.undeliverableMs - policy.retryMs - undeliveredMs, 'stopped');
      expect(lone.dance).toMatchObject({ verdict: null, observedMs });
      see(lone, policy.retryMs, 'stopped');
      expect(cellOf(lone)).toEqual(ENDED);
      expect(lone.last).toMatchObject({
        type: 'alert',
        alert: { text: expect.stringContaining('Nothing was killed.') as string },
      });
    },
  );

  test('one that stops and goes on in turn is silent for no time, and a person decides too', () => {
    const lone = PLACES.listening(danceAt({}));
    const { observedMs } = lone.dance;
    see(lone, 2 * policy.undeliverableMs - 2 * policy.retryMs, 'stopped', 'silent');
    expect(lone.dance).toMatchObject({ verdict: null, observedMs });
    see(lone, 4 * policy.retryMs, 'stopped', 'silent');
    expect(cellOf(lone)).toEqual(ENDED);
  });

  test('once it goes on it is heard to the end, and blindness counts for nothing', () => {
    const lone = PLACES.listening(danceAt({}));
    see(lone, 20 * 60_000, 'stopped');
    const { undeliveredMs } = lone.dance;
    see(lone, policy.undeliverableMs, 'unknown');
    expect(lone.dance).toMatchObject({ verdict: null, undeliveredMs });
    lone.pass(policy.retryMs);
    lone.look(SIGHTS.answered);
    expect(lone.dance.verdict).toBe('pardoned');
  });
});

describe('a person at the keys', () => {
  const PERSON = { kind: 'person', what: 'a key 3 s ago' } as const;
  const typing = (lone: LoneDog, ms: number) => {
    for (let spent = 0; spent < ms; spent += policy.lookEveryMs) {
      lone.pass(policy.lookEveryMs);
      lone.look(PERSON);
    }
  };

  // Rules: law 6.
  test('suspends the dance, and after 10 min decides', () => {
    const lone = met(PERSON);
    typing(lone, policy.personMs - policy.lookEveryMs);
    expect(lone.state).toBe('interrogating.suspended.waiting');
    typing(lone, policy.lookEveryMs);
    expect(cellOf(lone)).toEqual(['escalated', 'escalated', 'a person is at the keys: a key 3 s ago']);
  });

  test('who leaves in time gives the accused its question in full', () => {
    const lone = met(PERSON);
    typing(lone, policy.personMs - policy.lookEveryMs);
    lone.pass(policy.lookEveryMs);
    lone.look({ kind: 'silent' });
    lone.look({ kind: 'silent' });
    expect(lone.last).toMatchObject({ type: 'ask' });
  });
});
