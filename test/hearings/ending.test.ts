/** From the verdict to the end (law 7): what a hearing leaves to a person is told to them before any requester reads of it. */
import { describe, expect, test } from 'vitest';
import { orderName, type Dance, type Verdict } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, tools, TREE, type LoneDog } from './lone.ts';

const { policy } = tools();
const FAILED = { type: 'ORDER_FAILED', why: 'the disk is full' } as const;

/** A record as a process leaves it that dies right after its verdict was saved. */
const cut = (stage: Dance['stage'], verdict: Verdict, reason: string, more: Partial<Dance> = {}): Dance =>
  askedUpTo(danceAt({ stage, verdict, reason, ...more }), 3);
const KILLED = { killing: true, tree: TREE };
const LEFT: readonly [string, Dance, string][] = [
  ['an escalation', cut('complete', 'escalated', 'a person is at the keys'), 'dance-escalated/gt-rig-1'],
  ['a failure', cut('failed', 'failed', 'the dog crashed', { retried: true }), 'dance-failed/dog-1'],
  ['a dialog', cut('pardoned', 'pardoned', 'blocked on a person: Proceed?'), 'needs-input/gt-rig-1'],
  ['a usage limit', cut('pardoned', 'pardoned', 'stopped by a usage limit: resets 3am'), 'usage-limit/gt-rig-1'],
  ['survivors', cut('complete', 'executed', 'silent', { ...KILLED, survivors: TREE }), 'dance-survivors/dog-1'],
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
    expect(lone.typesSince(1)).toEqual(['alert', 'sendVerdict']);
    lone.outcome({ type: 'VERDICT_SENT' });
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
    expect(lone.last?.type).toBe('sendVerdict');
  });

  test('keeps no requester from coming later: they are told with the others', () => {
    const lone = awake(record);
    lone.hear({ type: 'ATTACHED', warrant: { ...record.warrants[0]!, id: 'w2', requester: 'witness' } });
    expect(lone.typesSince(1)).toEqual(['alert']);
    lone.outcome({ type: 'ALERTED' });
    expect(lone.last).toMatchObject({ type: 'sendVerdict', dance: { warrants: [{ id: 'w1' }, { id: 'w2' }] } });
  });
});

test.each([
  ['an answer', cut('pardoned', 'pardoned', 'answered')],
  ['an execution', cut('complete', 'executed', 'silent', KILLED)],
  ['a void one', cut('complete', 'void', 'cancelled by mayor')],
  ['one that was dead', cut('complete', 'already_dead', 'it was gone')],
])('%s leaves nothing to a person: its requesters are told at once', (_, record) => {
  expect(awake(record).typesSince(1)).toEqual(['sendVerdict']);
});
