/** Nothing moves: of a polecat no sign, or only none of its work. */
import { describe, expect, test } from 'vitest';
import { isStalled } from '../../machines/witness/hook.ts';
import type { HookMemory, PolecatSeen } from '../../machines/witness/observation.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { MINUTE } from '../patrols/seen.ts';
import { actsOf, cycleOf, one, type Row } from './acts.ts';

describe('nothing of any kind is seen of one', () => {
  const silent = (more: Partial<PolecatSeen> & { nudgedMs?: number | null; askedMs?: number; exemptMs?: number }) => {
    const { nudgedMs = 10 * MINUTE, askedMs = null, exemptMs = null, ...rest } = more;
    const for40 = { stillMs: 40 * MINUTE, idleMs: 40 * MINUTE, nudged: 'with deadline', deadlineMs: 0 } as const;
    return one({
      ...for40,
      hookMemory: { nudgedMs, askedMs, exemptMs, refusedMs: null, unspoken: null },
      ...rest,
    });
  };
  // Rules: P-3.
  test.each<Row>([
    ['and a nudge did not wake it', silent({}), ['triage stuck_agent']],
    ['and it is unknown for how long', silent({ idleMs: null }), []],
    ['and it was nudged a moment ago', silent({ nudgedMs: 9 * MINUTE }), []],
    ['and a decision was asked for', silent({ askedMs: MINUTE }), []],
    ['… before it was seen last', silent({ askedMs: 50 * MINUTE }), ['triage stuck_agent']],
    ['and its screen says why', silent({ exemptMs: MINUTE }), []],
    ['but its heartbeat', silent({ idleMs: MINUTE }), []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

describe('work on a hook that does not move', () => {
  const still = (minutes: number, memory: Partial<HookMemory> = {}, more: Partial<PolecatSeen> = {}) => {
    const hookMemory = {
      nudgedMs: null,
      askedMs: null,
      exemptMs: null,
      refusedMs: null,
      unspoken: null,
      ...memory,
    };
    return one({ stillMs: minutes * MINUTE, hookMemory, ...more });
  };
  const [NUDGE, CASE] = ['nudge hook', 'triage stuck_agent'];
  // Rules: P-4.
  test.each<Row>([
    ['for 29 minutes', still(29), []],
    ['for half an hour', still(30), [NUDGE]],
    ['… and was nudged', still(40, { nudgedMs: 10 * MINUTE }), []],
    ['… and was nudged before it last moved', still(40, { nudgedMs: 50 * MINUTE }), [NUDGE]],
    ['… and its agent says that it works', still(40, {}, { report: 'working' }), [NUDGE]],
    ['… and its agent just began', still(40, {}, { ageMs: MINUTE }), []],
    ['… and nothing can be typed', still(45), [NUDGE]],
    ['… and nothing could be typed a moment ago', still(45, { refusedMs: 4 * MINUTE }), []],
    ['… and nothing could be typed a while ago', still(45, { refusedMs: 5 * MINUTE }), [NUDGE]],
    ['for an hour', still(60, { nudgedMs: 29 * MINUTE + 1 }), [NUDGE]],
    ['… and was nudged for that', still(61, { nudgedMs: MINUTE }), [CASE]],
    ['… and a decision was asked for', still(70, { nudgedMs: 9 * MINUTE, askedMs: 8 * MINUTE }), []],
    ['… and that is seen for the first time late', still(119), [NUDGE]],
    ['… and nothing can be typed for a while', still(75, { refusedMs: 6 * MINUTE }), [NUDGE, CASE]],
    ['… and nothing could be typed before this window', still(70, { refusedMs: 11 * MINUTE }), [NUDGE]],
    ['… since it works', still(70, { exemptMs: 5 * MINUTE, refusedMs: 5 * MINUTE }), [NUDGE]],
    ['… since it worked a moment ago', still(70, { exemptMs: MINUTE, refusedMs: MINUTE }), []],
    ['… since it worked, long ago', still(80, { exemptMs: 15 * MINUTE, refusedMs: 15 * MINUTE }), [NUDGE, CASE]],
    ['for eight hours, as the first look finds', still(480 + 119), [NUDGE]],
    ['… since its screen is unknown', still(70, { nudgedMs: MINUTE, refusedMs: MINUTE, unspoken: 'a box' }), [CASE]],
    ['for two hours', still(120, { nudgedMs: 59 * MINUTE, askedMs: 58 * MINUTE }), [NUDGE]],
    ['… and was nudged for that', still(121, { nudgedMs: MINUTE, askedMs: 58 * MINUTE }), [CASE]],
    ['… and all was done', still(230, { nudgedMs: 100 * MINUTE, askedMs: 100 * MINUTE }), []],
    ['for four hours, since that came to nothing', still(241, { nudgedMs: 2 * 60 * MINUTE }), [NUDGE]],
    ['… and was nudged once more', still(242, { nudgedMs: MINUTE, askedMs: 120 * MINUTE }), [CASE]],
    ['for two hours, and is closed', still(121, {}, { hook: null }), []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });

  test('who decides is told why nothing could be typed', () => {
    const memory = { nudgedMs: MINUTE, refusedMs: MINUTE, unspoken: 'a box is on its screen' };
    const [asked] = cycleOf(still(70, memory));
    expect(JSON.stringify(asked)).toMatch(/a box is on its screen"/);
  });

  // Rules: P-4.
  test.each<[what: string, isStalled: boolean, minutes: number, exemptMs: number | null]>([
    ['for less than two hours', false, 119, null],
    ['for two hours', true, 120, null],
    ['for two hours, since it works', false, 120, MINUTE],
  ])('%s: stalled %s', (_, stalled, minutes, exemptMs) => {
    const { polecats = [] } = still(minutes, { exemptMs });
    expect(polecats.map((seen) => isStalled(seen, WITNESS))).toEqual([stalled]);
  });
});
