/** A warrant is taken back while nothing was done by it. */
import { describe, expect, test } from 'vitest';
import { freshDance } from '../../machines/hearings/dance.ts';
import { cancelWarrant, whyNotCancelled } from '../../machines/hearings/queue.ts';
import type { Dance } from '../../machines/protocol.ts';
import { WALL } from '../world/drive.ts';
import { against, now, poolWith, TOOLS } from './pool.ts';

describe('taking a warrant back', () => {
  const dance = freshDance('dog-1', 1, against(1), TOOLS, { wall: WALL, escalate: false });

  test('from the queue closes it void, with a record and a telling of its own', () => {
    const pool = poolWith([against(1), against(2)]);
    const made = cancelWarrant(pool, 'w2', 'mayor', now);
    expect(made?.start).toMatchObject([{ stage: 'complete', verdict: 'void', reason: 'cancelled by mayor' }]);
    expect(made?.pool.queue.map((w) => w.id)).toEqual(['w1']);
    expect(cancelWarrant(pool, 'w3', 'mayor', now)).toBe(null);
  });

  test('from a dance that waits for a place closes it void', () => {
    const made = cancelWarrant(poolWith([], { waiting: [dance] }), 'w1', 'mayor', now);
    expect(made?.start).toMatchObject([{ id: 'dog-1', stage: 'complete', verdict: 'void' }]);
    expect(made?.pool.waiting).toEqual([]);
  });

  test.each<[string, Partial<Dance>, string | null]>([
    ['alone in its hearing', {}, null],
    ['with an intent, nothing signalled', { stage: 'executing.looking', tree: [] }, null],
    ['being executed', { killing: true }, 'hearing dog-1 is ending it'],
    ['judged', { verdict: 'pardoned' }, 'hearing dog-1 is over: pardoned'],
    ['one of two', { warrants: [against(1), against(1, { id: 'w2' })] }, 'shares hearing dog-1 with 1 other'],
  ])('%s', (_, more, why) => {
    const refusal = whyNotCancelled({ ...dance, ...more }, 'w1');
    if (why === null) expect(refusal).toBe(null);
    else expect(refusal).toContain(why);
  });
});
