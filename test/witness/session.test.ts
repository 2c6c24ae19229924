/** A patrol that an agent does: what is done about its session, and when a life of it hands off. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { STOP_AGAIN_MS } from '../../machines/patrols/policy.ts';
import { agentPatrolActs, handoffDue, unwantedAct, type AgentPatrolSeen } from '../../machines/witness/session.ts';

const MINUTE = 60_000;
const PACE = { ...POLICY.rounds, wakeAfterMs: 5 * MINUTE };

type Row = [what: string, seen: AgentPatrolSeen, acts: string[]];
const seen = (
  session: AgentPatrolSeen['session'],
  patrolled: number | null,
  woken: number | null = null,
): AgentPatrolSeen => ({
  session,
  patrolledMs: patrolled === null ? null : patrolled * MINUTE,
  wokenMs: woken === null ? null : woken * MINUTE,
});
const ROWS: Row[] = [
  ['a rig that is new', seen('none', null), ['start']],
  ['one that patrols', seen('lives', 4), []],
  ['one that rests', seen('lives', 5), ['wake']],
  ['one that was woken just now', seen('lives', 6, 1), []],
  ['one that rests again', seen('lives', 11, 5), ['wake']],
  ['one that sleeps', seen('lives', 15, 1), ['stand_in']],
  ['one that sleeps, and is due to be woken', seen('lives', 16, 5), ['wake', 'stand_in']],
  ['one that a person ended', seen('ended', 14), []],
  ['one that a person ended, for long', seen('ended', 15), ['stand_in']],
  ['one that cannot be seen', seen('unknown', 14), []],
  ['one that cannot be seen, for long', seen('unknown', 15), ['stand_in']],
  ['one that is forgotten', seen('none', 1), ['start']],
  ['one that could not be started', seen('none', 15), ['start', 'stand_in']],
  ['one that lives where no cycle is remembered', seen('lives', null), ['wake', 'stand_in']],
];

describe('W-8: an agent that patrols', () => {
  // Rules: W-8.
  test.each(ROWS)('%s', (_, row, acts) => {
    expect(agentPatrolActs(row, PACE)).toEqual(acts);
  });

  // Rules: W-8.
  test.each([
    ['a screen that tells little used', 80, 1_000, null],
    ['a screen that tells much used', 81, 1, '81 % of its context is used'],
    ['a screen that tells nothing, before its cycles are over', null, 49, null],
    ['a screen that tells nothing, after its cycles', null, 50, 'it did 50 cycles'],
  ])('hands off by %s', (_, contextUsed, cycles, why) => {
    expect(handoffDue({ contextUsed, cycles }, { ...POLICY.rounds, maxCycles: 50 })).toBe(why);
  });

  // Rules: W-8.
  test.each([
    ['lives, and was never started for it', 'lives', null, null, false, null],
    ['lives', 'lives', 1, null, false, 'stop'],
    ['lives, and an earlier one was ended', 'lives', 3, 2, false, 'stop'],
    ['ends', 'lives', 1, 2, true, null],
    ['has not ended within the hour', 'lives', 1, 2, 'long ago', 'stop'],
    ['lives, and a person started it after the end of the town’s', 'lives', 1, 2, false, null],
    ['was ended so', 'ended', 1, 2, true, 'forget'],
    ['was ended so long ago', 'ended', 1, 2, 'long ago', 'forget'],
    ['was ended by a person', 'ended', 1, null, false, null],
    ['was ended by a person who had started it', 'ended', 1, 2, false, null],
    ['is forgotten', 'none', 1, 2, true, null],
    ['cannot be seen', 'unknown', 1, null, false, null],
    ['cannot be seen, long after its end was ordered', 'unknown', 1, 2, 'long ago', null],
  ] as const)('is not wanted any more, and its session %s', (_, session, startedAt, stoppedAt, stopped, act) => {
    const stoppedMs = stoppedAt === null ? null : STOP_AGAIN_MS - (stopped === 'long ago' ? 0 : 1);
    expect(unwantedAct({ session, startedAt, stoppedAt, stoppedMs, isStoppedLife: stopped !== false })).toBe(act);
  });

  // Rules: W-8.
  test('spares a life that a person started long after the end of the town’s', () => {
    const seen = { session: 'lives', startedAt: 1, stoppedAt: 2, stoppedMs: STOP_AGAIN_MS } as const;
    expect(unwantedAct({ ...seen, isStoppedLife: false })).toBe(null);
  });
});
