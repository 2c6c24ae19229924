/** A remote that is away: what waits for it, what goes on, and the one alert. */
import { describe, expect, test } from 'vitest';
import type { PolecatSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { NO_REFINERY } from '../../machines/witness/refinery.ts';
import { dead, hooked, LEFTS, letter, MINUTE, polecat, rig, wisp, work } from '../patrols/seen.ts';
import { actsOf, cycleOf, one, standsAt } from './acts.ts';

const UNPUSHED = { tree: 'unpushed', left: LEFTS.work } as const;
const away = (minutes: number): Partial<WitnessSeen> => ({ away: { ms: minutes * MINUTE, why: 'no route to host' } });
const ended = (more: Partial<PolecatSeen> = {}): Partial<WitnessSeen> => ({
  ...one({ ...UNPUSHED, session: 'dead', ...more }),
  rig: rig({ workers: [dead({ left: LEFTS.work })], work: [hooked({ attempts: 2 })] }),
});
const past = { idleMs: 26 * MINUTE, stillMs: 26 * MINUTE, nudged: 'with deadline', deadlineMs: 10 * MINUTE } as const;
const waits: Partial<WitnessSeen> = {
  refinery: { ...NO_REFINERY, hasCommand: true, session: 'alive', waiting: 1, oldestMs: 70 * MINUTE },
};

// Rules: P-3, P-5, W-3, law 8.
describe.each<[what: string, seen: Partial<WitnessSeen>, acts: readonly string[]]>([
  ['one that ended with work that was not pushed', ended(), ['fail']],
  ['… and has failed often', crashed(), ['triage crash_loop']],
  ['a cleanup that would push', { ...ended(), wisps: [wisp()] }, ['nuke nux pushed, MERGE_READY nux']],
])('%s', (_what, seen, acts) => {
  test('is dealt with while the remote answers, waits while that is away, and all of them are one alert', () => {
    for (const act of acts) expect(actsOf(seen)).toContain(act);
    for (const act of acts) expect(actsOf({ ...seen, ...away(4) })).toContain(act);
    const held = actsOf({ ...seen, ...away(5) });
    for (const act of acts) expect(held).not.toContain(act);
    expect(standsAt({ ...seen, ...away(4) })).toEqual([]);
    expect(standsAt({ ...seen, ...away(5) })).toEqual(['remote-away']);
    expect(standsAt(seen, ['remote-away'])).toEqual([]);
  });
});

test('the alert says what waits, and what git said', () => {
  const [told] = cycleOf({ ...ended(), ...away(12) }).flatMap((act) => (act.act === 'stand' ? [act.text] : []));
  expect(told).toBe(
    'the remote of shop does not answer, and 1 polecat has commits that it lacks. They wait and are no failed attempts; all goes on by itself once it answers. It said: no route to host',
  );
});

test('what needs no remote goes on, and what an agent asks is passed on', () => {
  const clean = { polecats: [polecat({ ...past, tree: 'clean', left: LEFTS.nothing })] };
  expect(actsOf({ ...clean, ...away(60) })).toEqual(actsOf(clean));
  const open = { rig: rig({ work: [work()] }) };
  expect(actsOf({ ...open, ...away(60) })).toContain('spawn');
  for (const [seen, asked] of [
    [waits, 'triage queue_health'],
    [one({ ...UNPUSHED, ...past }), 'triage stuck_agent'],
    [{ ...one(UNPUSHED), letters: [letter('HELP: the API key is wrong')] }, 'triage help_request'],
  ] as const)
    expect(actsOf({ ...seen, ...away(60) })).toContain(asked);
});

function crashed(): Partial<WitnessSeen> {
  const failureAgesMs = [1, 2, 3];
  return { ...ended(), rig: rig({ workers: [dead({ left: LEFTS.work, failureAgesMs })], work: [hooked()] }) };
}
