/** Many letters are one alert: what a witness does not know, and what exceeds its sender's budget. */
import { describe, expect, test } from 'vitest';
import type { ShelfSeen } from '../../machines/witness/shelf-seen.ts';
import type { LetterSeen, ToldSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { MAX_ALIKE } from '../../machines/patrols/policy.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { letter, polecat } from '../patrols/seen.ts';
import { cycleOf } from './acts.ts';

const LIMIT = WITNESS.lettersPerHour;
const flood = (count: number, subject: string, more: Partial<LetterSeen> = {}): LetterSeen[] =>
  Array.from({ length: count }, (_, nth) => letter(subject, { id: `m${nth}`, ...more }));
const shelf = (more: Partial<ShelfSeen>): ShelfSeen => ({ aside: 0, later: 0, handled: new Map(), ...more });
/** In short words: what is told with its count, what is shelved with how many letters. */
const shortOf = (more: Partial<WitnessSeen>): string[] =>
  cycleOf(more).flatMap((act) => {
    if (act.act === 'tell') return [`tell ${act.about} ${act.count ?? ''}`.trim()];
    if (act.act === 'shelve') return [`${act.to} ${act.mails.length}`];
    return act.act === 'close' ? [`close ${act.bead}`] : [];
  });

describe('letters', () => {
  const told = (about: string, count: number): ToldSeen => ({ id: 'tw-9', about, severity: 'high', count });
  // Rules: W-1.
  test.each<[what: string, seen: Partial<WitnessSeen>, acts: string[]]>([
    ['one that no witness knows', { letters: flood(1, 'lunch?') }, ['tell mail 1', 'aside 1']],
    ['ten thousand that no witness knows', { letters: flood(10_000, 'lunch?') }, ['tell mail 10000', 'aside 10000']],
    [
      'more of them, and a person was told',
      { letters: flood(3, 'lunch?'), shelf: shelf({ aside: 5 }), told: [told('mail', 5)] },
      ['tell mail 8', 'aside 3'],
    ],
    ['as many as were told', { shelf: shelf({ aside: 5 }), told: [told('mail', 5)] }, []],
    ['all were put away', { told: [told('mail', 5)] }, ['close tw-9']],
    [
      'more calls for help than the budget',
      { letters: flood(LIMIT + 7, 'HELP: security, it is broken') },
      [...Array<string>(LIMIT).fill('tell help/nux more'), 'tell mail-budget 7', 'later 7'],
    ],
    [
      'the budget of the hour is used up',
      { letters: flood(2, 'HELP: x'), shelf: shelf({ later: 7, handled: new Map([['nux', LIMIT]]) }) },
      ['tell mail-budget 9', 'later 2'],
    ],
    [
      'another sender has a budget of its own',
      { letters: flood(1, 'HELP: emergency', { from: 'ada' }), shelf: shelf({ handled: new Map([['nux', LIMIT]]) }) },
      ['tell help/ada more'],
    ],
    [
      'what waited is handled in a later hour',
      {
        letters: flood(2, 'HELP: emergency', { isLate: true }),
        shelf: shelf({ later: 2 }),
        told: [told('mail-budget', 2)],
      },
      ['tell help/nux more', 'tell help/nux more'],
    ],
    ['none waits any more', { told: [told('mail-budget', 2)] }, ['close tw-9']],
    [
      'a letter that is known comes behind a flood of unknown ones',
      { letters: [...flood(5_000, 'lunch?'), letter('HELP: emergency', { id: 'last' })] },
      ['tell help/nux more', 'tell mail 5000', 'aside 5000'],
    ],
  ])('%s', (_, more, acts) => {
    expect(shortOf(more)).toEqual(acts);
  });
});

describe('many polecats with one complaint', () => {
  const idle = (count: number) =>
    Array.from({ length: count }, (_, nth) =>
      polecat({ name: `p${nth}`, agent: `shop/polecats/p${nth}`, tree: 'wrong', session: 'dead', hook: null }),
    );
  const names = (polecats: ReturnType<typeof idle>, told: ToldSeen[] = []) => shortOf({ polecats, told });
  const alone = (count: number) => Array.from({ length: count }, (_, nth) => `tell tree/shop/polecats/p${nth}`);

  test('a few are told by name', () => {
    expect(names(idle(MAX_ALIKE))).toEqual(alone(MAX_ALIKE));
  });

  // Rules: W-1.
  test('ten thousand are those few and one with a count, which changes with it and ends with them', () => {
    expect(names(idle(10_000))).toEqual([...alone(MAX_ALIKE), `tell many/tree ${10_000 - MAX_ALIKE}`]);
    const told = idle(MAX_ALIKE).map(({ agent }): ToldSeen => ({ id: `t-${agent}`, about: `tree/${agent}` }));
    const many: ToldSeen = { id: 'tw-many', about: 'many/tree', severity: 'high', count: 10 };
    expect(names(idle(MAX_ALIKE + 10), [...told, many])).toEqual([]);
    expect(names(idle(MAX_ALIKE + 11), [...told, many])).toEqual(['tell many/tree 11']);
    expect(names(idle(MAX_ALIKE), [...told, many])).toEqual(['close tw-many']);
  });
});
