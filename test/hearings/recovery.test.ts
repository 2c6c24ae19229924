/** Where a dog goes on that wakes with a record (D-12): nothing before its checkpoint, then exactly the order of its stage. */
import { describe, expect, test } from 'vitest';
import { afterCrash, afterRestart, RECOVERY } from '../../machines/hearings/dance.ts';
import { STAGES, type Dance, type Stage } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, kept, LoneDog, MARK, tools, TREE } from './lone.ts';

const RESCUE = { folder: 'rescue/dog-1', ref: null };
/** What a record of each stage holds, and what its dog wants first. */
const FIRST: Readonly<Record<Stage, { holds?: Partial<Dance>; wants: readonly string[] }>> = {
  idle: { wants: ['ask'] },
  'interrogating.asking': { wants: ['ask'] },
  'interrogating.retrying': { wants: ['ask'] },
  'interrogating.listening': { holds: { observedMs: 40_000 }, wants: ['look'] },
  'interrogating.suspended': { holds: { personMs: 60_000 }, wants: ['look'] },
  'interrogating.confirming': { wants: ['look'] },
  evaluating: { holds: { observedMs: 60_000 }, wants: ['look'] },
  'executing.listing': { wants: ['listTree'] },
  'executing.looking': { holds: { tree: TREE }, wants: ['look'] },
  'executing.rescuing': { holds: { tree: TREE }, wants: ['look'] },
  'executing.terminating': { holds: { tree: TREE, rescue: RESCUE, killing: true }, wants: ['look'] },
  'executing.killing': { holds: { tree: TREE, rescue: RESCUE, killing: true, rounds: 1 }, wants: ['look'] },
  'executing.sparing': { holds: { tree: TREE, rescue: RESCUE, killing: true, rounds: 1 }, wants: ['listTree'] },
  'executing.clearing': { holds: { tree: TREE, rescue: RESCUE, killing: true }, wants: ['clear'] },
  pardoned: { holds: { verdict: 'pardoned' }, wants: ['sendVerdict'] },
  complete: { holds: { verdict: 'executed' }, wants: ['sendVerdict'] },
  failed: { holds: { verdict: 'failed', retried: true }, wants: ['alert'] },
  closed: { holds: { verdict: 'executed' }, wants: [] },
};
const unasked: readonly Stage[] = ['idle', 'interrogating.asking', 'interrogating.retrying'];
const recordAt = (stage: Stage): Dance => {
  const dance = danceAt({ stage, ...FIRST[stage].holds });
  return unasked.includes(stage) ? dance : askedUpTo(dance, 2);
};

test('every stage has a row, here and in RECOVERY', () => {
  expect(Object.keys(FIRST)).toEqual([...STAGES]);
  expect(Object.keys(RECOVERY)).toEqual([...STAGES]);
});

describe.each(STAGES)('a dog that wakes as %s', (stage) => {
  // Rules: D-12.
  test('orders nothing but its checkpoint until that has an outcome', () => {
    const lone = new LoneDog(recordAt(stage));
    lone.pass(0);
    lone.pass(10 * 60_000);
    lone.outcome({ type: 'SAVED' }, { dance: 'dog-1', attempt: 1, verb: 'checkpoint', turn: 99 });
    expect(lone.typesSince(0)).toEqual(['checkpoint']);
    expect(lone.dance).toEqual({ ...recordAt(stage), recoveries: 1 });
  });

  test('asks for its checkpoint again when that failed, after a pause', () => {
    const lone = new LoneDog(recordAt(stage));
    lone.outcome({ type: 'ORDER_FAILED', why: 'disk full' });
    lone.pass(tools().policy.retryMs - 1);
    expect(lone.typesSince(0)).toEqual(['checkpoint']);
    lone.pass(1);
    expect(lone.typesSince(0)).toEqual(['checkpoint', 'checkpoint']);
  });

  // Rules: D-12.
  test(`wants first: ${FIRST[stage].wants.join(', ') || 'nothing'}`, () => {
    const lone = awake(recordAt(stage));
    if (lone.status === 'active' && lone.wakeAt !== null) lone.pass(0);
    expect(lone.typesSince(1)).toEqual(FIRST[stage].wants);
  });

  test('is the same dance: codes, attempt, observed time, questions', () => {
    const record = recordAt(stage);
    const lone = awake(JSON.parse(JSON.stringify(record)) as Dance);
    if (lone.status === 'active' && lone.wakeAt !== null) lone.pass(0);
    expect(kept(lone.dance)).toEqual(kept(record));
  });
});

// Rules: D-2.
test('a question that is asked again after a crash has the same words and the same code', () => {
  const first = awake(danceAt({}));
  const again = awake(first.dance);
  expect(again.last).toEqual(first.last);
});

// Rules: D-7.
test('the remaining time goes on where the record left it, without the time the town was away', () => {
  const lone = awake(askedUpTo(danceAt({ stage: 'interrogating.listening', observedMs: 55_000 }), 1));
  lone.now += 3_600_000; // its first look takes an hour to come back
  lone.look({ kind: 'silent' });
  expect(lone.dance.observedMs).toBe(55_000);
  for (let s = 0; s < 4; s++) {
    lone.pass(1_000);
    lone.look({ kind: 'silent' });
  }
  expect(lone.state).toBe('interrogating.listening');
  lone.pass(1_000);
  lone.look({ kind: 'silent' });
  expect(lone.state).toBe('evaluating');
});

test('an outcome for an earlier life of the dog changes nothing', () => {
  const lone = awake(danceAt({}));
  lone.outcome({ type: 'ASKED', mark: MARK, tail: '' }, { dance: 'dog-0', attempt: 1, verb: 'ask' });
  expect(lone.state).toBe('interrogating.asking');
});

describe('a dance found after a restart', () => {
  const { policy } = tools();
  const FAILED = { stage: 'failed', verdict: 'failed' } as const;
  const PARDONED = { stage: 'pardoned', verdict: 'pardoned' } as const;
  const KILLING = { stage: 'executing.looking', killing: true } as const;
  test.each<[string, Partial<Dance>, Partial<Dance>]>([
    ['failed', FAILED, { stage: 'interrogating.asking', retried: true, verdict: null }],
    ['failed in mid-kill', { ...FAILED, killing: true }, { stage: 'executing.looking', retried: true, verdict: null }],
    ['failed a second time', { ...FAILED, retried: true }, FAILED],
    ['that an older town suspended, in mid-kill', { stage: 'interrogating.suspended', killing: true }, KILLING],
    ['that killed the town in its recovery', { recoveries: 10 }, { ...FAILED, retried: true }],
    ['that was one recovery short of it', { recoveries: 9 }, { stage: 'interrogating.asking', verdict: null }],
    ['judged, whose telling killed the town', { ...PARDONED, recoveries: 10 }, PARDONED],
  ])('%s', (_, found, expected) => {
    expect(afterRestart(danceAt(found), policy)).toMatchObject(expected);
  });

  test('failed and forced is tried once more as a forced one', () => {
    const forced = danceAt({ stage: 'failed', verdict: 'failed' }, true);
    expect(afterRestart(forced, policy).stage).toBe('executing.listing');
  });
});

test.each<[number, Partial<Dance>, Partial<Dance>]>([
  [1, { crashes: 0 }, { crashes: 1, stage: 'interrogating.asking', verdict: null }],
  [2, { crashes: 1 }, { crashes: 2, stage: 'interrogating.asking', verdict: null }],
  [3, { crashes: 2 }, { crashes: 3, stage: 'failed', verdict: 'failed' }],
  [3, { crashes: 2, stage: 'pardoned', verdict: 'pardoned' }, { crashes: 3, stage: 'pardoned', verdict: 'pardoned' }],
])('crash number %i of a dog', (_, before, after) => {
  expect(afterCrash(danceAt(before), 'a bug', tools().policy)).toMatchObject(after);
});
