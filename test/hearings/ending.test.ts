/** From the verdict to the end (law 7): what a hearing leaves to a person is told to them before any requester reads of it. */
import { describe, expect, test } from 'vitest';
import { orderName, type Dance } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, tools, TREE, type LoneDog } from './lone.ts';

const { policy } = tools();
const FAILED = { type: 'ORDER_FAILED', why: 'the disk is full' } as const;

/** A record as a process leaves it that dies right after its verdict was saved. */
const cut = (more: Partial<Dance>): Dance => askedUpTo(danceAt(more), 3);
const LEFT: readonly [string, Dance, string][] = [
  [
    'an escalation',
    cut({ stage: 'complete', verdict: 'escalated', reason: 'a person is at the keys' }),
    'dance-escalated/gt-rig-1',
  ],
  [
    'a failure',
    cut({ stage: 'failed', verdict: 'failed', reason: 'the dog fell', retried: true }),
    'dance-failed/dog-1',
  ],
  [
    'a dialog',
    cut({ stage: 'pardoned', verdict: 'pardoned', reason: 'blocked on a person: Proceed?' }),
    'needs-input/gt-rig-1',
  ],
  [
    'a usage limit',
    cut({ stage: 'pardoned', verdict: 'pardoned', reason: 'stopped by a usage limit: resets 3am' }),
    'usage-limit/gt-rig-1',
  ],
  [
    'an error',
    cut({ stage: 'pardoned', verdict: 'pardoned', reason: 'its last turn ended with an error: 529' }),
    'agent-error/gt-rig-1',
  ],
  [
    'survivors',
    cut({ stage: 'complete', verdict: 'executed', reason: 'silent', killing: true, tree: TREE, survivors: TREE }),
    'dance-survivors/dog-1',
  ],
];
const alertsOf = (lone: LoneDog) =>
  lone.orders.flatMap((order) => (order.type === 'alert' ? [[orderName(order.id), order.alert.episode]] : []));

describe.each(LEFT)('%s', (_, record, episode) => {
  test('that was saved by a process that died is alerted by the next one, and only then told', () => {
    const lone = awake(record);
    expect(lone.typesSince(1)).toEqual(['alert']);
    expect(lone.dance.stage).toBe(record.stage);
    lone.pass(60_000);
    expect(lone.typesSince(1)).toEqual(['alert']);
    lone.outcome({ type: 'ALERTED' });
    expect(lone.typesSince(1)).toEqual(['alert', 'tell']);
    lone.outcome({ type: 'TOLD' });
    expect(lone.dance).toMatchObject({ stage: 'closed', verdict: record.verdict });
    expect(alertsOf(lone)).toEqual([[`dog-1/alert/${episode}`, episode]]);
  });

  test('has the same alert, by its id, in every process that takes it up', () => {
    const first = awake(record);
    first.outcome({ type: 'ALERTED' });
    expect(alertsOf(awake(first.dance))).toEqual(alertsOf(first));
  });

  test('whose alert was not told in its time is tried on, by its id; its requesters wait for that', () => {
    const lone = awake(record);
    const TRIES = 20;
    for (let n = 1; n < TRIES; n++) {
      lone.outcome(FAILED);
      lone.pass(policy.retryMs);
    }
    expect(lone.typesSince(1)).toEqual(Array.from({ length: TRIES }, () => 'alert'));
    expect(new Set(alertsOf(lone).map(([id]) => id)).size).toBe(1);
    lone.outcome({ type: 'ALERTED' });
    expect(lone.last?.type).toBe('tell');
  });

  test('keeps nobody from coming later: they are told with the others', () => {
    const lone = awake(record);
    lone.hear({ type: 'ATTACHED', warrant: { ...record.warrants[0]!, id: 'w2', requester: 'witness' } });
    expect(lone.typesSince(1)).toEqual(['alert']);
    lone.outcome({ type: 'ALERTED' });
    expect(lone.last).toMatchObject({ type: 'tell', dance: { warrants: [{ id: 'w1' }, { id: 'w2' }] } });
  });
});

test.each<[string, Partial<Dance>]>([
  ['an answer', { stage: 'pardoned', verdict: 'pardoned', reason: 'answered' }],
  ['an execution', { stage: 'complete', verdict: 'executed', reason: 'silent', killing: true, tree: TREE }],
  ['a void one', { stage: 'complete', verdict: 'void', reason: 'cancelled by mayor' }],
  ['one that was dead', { stage: 'complete', verdict: 'already_dead', reason: 'it was gone' }],
])('%s leaves nothing to a person: its requesters are told at once', (_, more) => {
  expect(awake(cut(more)).typesSince(1)).toEqual(['tell']);
});
