/** Words for one that rests (W-4): never typed while it works, and what shows work and stands still is no work (law 1). */
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/settings.ts';
import { composer, FakePane } from '../config/probes/pane.ts';

const MINUTE = 60_000;
const FOOTER = '  esc to interrupt';
const AT_WORK = [...composer('', ['✻ Thinking… (12s · ↓ 20 tokens)', '']), FOOTER];
/** Where it shows work and no composer. */
const ALONE = ['✻ Thinking… (12s · ↓ 20 tokens)', '', FOOTER];
const later = (rows: readonly string[], seconds: number): string[] =>
  rows.map((row) => row.replace(/\(\d+s/, `(${seconds}s`));

/** What came of each nudge, a while after the one before. */
async function nudged(
  shown: readonly (readonly string[])[],
  atRest?: true,
): Promise<{ readonly kinds: readonly string[]; readonly typed: number }> {
  const scene = { rows: shown[0] ?? [] };
  const pane = new FakePane(DEFAULTS, scene);
  const kinds: string[] = [];
  for (const rows of shown) {
    scene.rows = rows;
    const outcome = await pane.nudge(atRest);
    kinds.push(outcome.type === 'NOT_NUDGED' ? outcome.obstacle.kind : outcome.type);
    pane.now += 5 * MINUTE;
  }
  return { kinds, typed: pane.pastes };
}

describe('an agent that works', () => {
  // Rules: W-4.
  test.each<[string, (readonly string[])[], readonly string[]]>([
    ['works on', [AT_WORK, later(AT_WORK, 312), later(AT_WORK, 612)], ['working', 'working', 'working']],
    ['works, its composer gone', [ALONE, later(ALONE, 312)], ['working', 'working']],
    ['stands still', [AT_WORK, AT_WORK], ['working', 'busy']],
    ['stands still, its composer gone', [ALONE, ALONE], ['working', 'busy']],
    ['stood still, and goes on', [AT_WORK, AT_WORK, later(AT_WORK, 312)], ['working', 'busy', 'working']],
  ])('%s', async (_, shown, kinds) => {
    expect(await nudged(shown, true)).toEqual({ kinds, typed: 0 });
  });

  test('what its pack calls work beside the talk keeps no words away', async () => {
    const background = [...composer(''), '  1 shell still running · ? for shortcuts'];
    expect((await nudged([background], true)).typed).toBe(1);
  });

  test('a sender that may speak to one at work does', async () => {
    expect((await nudged([AT_WORK])).typed).toBe(1);
  });
});

// Rules: M-9.
describe('an agent at a usage limit', () => {
  const LIMIT = composer('', ["  ⎿  You've hit your 5-hour limit", '']);
  const typed = async (rows: readonly string[], atLimit?: true): Promise<number> => {
    const pane = new FakePane(DEFAULTS, { rows });
    await pane.nudge(true, atLimit);
    return pane.pastes;
  };

  test.each<[string, readonly string[], number]>([
    ['at rest', LIMIT, 1],
    ['with a draft in its composer', composer('mine', ["  ⎿  You've hit your 5-hour limit", '']), 0],
    ['that works', [...LIMIT, '  ⚠ Usage limit reached', FOOTER], 0],
  ])('%s takes no words but those for the end of its limit', async (_, rows, pastes) => {
    expect(await typed(rows)).toBe(0);
    expect(await typed(rows, true)).toBe(pastes);
  });
});
