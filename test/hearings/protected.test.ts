/** Law 6 across a restart: a name that became protected while no town ran is harmed no more, at each stage of its hearing. */
import { expect, test } from 'vitest';
import { afterProtection } from '../../machines/hearings/dance.ts';
import { STAGES, type Dance, type Stage, type Warrant } from '../../machines/protocol.ts';
import { Drive, warrant } from '../world/drive.ts';
import { danceAt, TREE } from './lone.ts';

const HARMLESS = ['checkpoint', 'sendVerdict', 'alert', 'endAlert'];

/** Everything that a town orders about this dance when it finds it with its target protected. */
function found(dance: Dance): { orders: string[]; drive: Drive } {
  const drive = new Drive({
    readRecords: {
      type: 'RECORDS_READ',
      dances: [dance],
      warrants: [],
      heard: [],
      lastDanceMs: 1,
      protected: [dance.target.session],
    },
  });
  drive.run(30 * 60_000);
  return { orders: drive.orders.filter(({ id }) => id.dance === dance.id).map(({ type }) => type), drive };
}

const KILLING: readonly Stage[] = ['executing.terminating', 'executing.killing', 'executing.clearing'];
const OPEN = STAGES.filter((stage) => !['pardoned', 'complete', 'failed', 'closed'].includes(stage));

test.each(OPEN)('%s: nothing is typed, signalled or cleared, and its hearing ends', (stage) => {
  const killing = KILLING.includes(stage);
  const { orders, drive } = found(danceAt({ stage, killing, tree: killing ? TREE : null }));
  expect(orders.filter((type) => !HARMLESS.includes(type))).toEqual([]);
  expect(orders).toContain('sendVerdict');
  expect(drive.dances[0]).toMatchObject({
    stage: 'closed',
    verdict: killing ? 'escalated' : 'void',
    reason: expect.stringContaining('gt-rig-1 is a protected name now') as string,
  });
  const told = drive.given('alert').map(({ alert }) => [alert.episode, alert.text.includes('Nothing was killed')]);
  expect(told).toEqual(killing ? [['dance-escalated/gt-rig-1', false]] : []);
});

test('a failed hearing is not tried once more', () => {
  const { orders } = found(danceAt({ stage: 'failed', verdict: 'failed', reason: 'a test' }));
  expect(orders.filter((type) => !HARMLESS.includes(type))).toEqual([]);
});

test('what was judged before stands; the pane of a dead agent is left', () => {
  for (const stage of ['pardoned', 'complete', 'closed'] as const) {
    const dance = danceAt({ stage, verdict: 'pardoned', reason: 'answered' });
    expect(afterProtection(dance)).toBe(dance);
  }
  const dead = danceAt({ stage: 'executing.clearing', verdict: 'already_dead', reason: 'it was gone', tree: [] });
  const { orders, drive } = found(dead);
  expect(orders).toEqual(['checkpoint', 'sendVerdict']);
  expect(drive.dances[0]).toMatchObject({
    verdict: 'already_dead',
    reason: expect.stringContaining('is left') as string,
  });
});

test.each<Partial<Warrant>>([{ requester: 'gt-rig-1' }, { requester: 'witness:rig', via: 'town' }])(
  'a wish to end does not: %o',
  (of) => {
    const wished = { ...danceAt({}, true), stage: 'executing.listing' } as const;
    const dance = { ...wished, warrants: wished.warrants.map((one) => ({ ...one, ...of })) };
    expect(afterProtection(dance)).toMatchObject({ stage: 'complete', verdict: 'void' });
  },
);

test('an operator’s force outranks protection', () => {
  const forced = { ...danceAt({ stage: 'executing.listing' }), warrants: [warrant('w1', undefined, { force: true })] };
  expect(afterProtection(forced)).toBe(forced);
  expect(found(forced).orders).toContain('listTree');
});
