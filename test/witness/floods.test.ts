/** Many letters are one alert: what a witness does not know, and what exceeds its sender's budget. */
import { describe, expect, test } from 'vitest';
import type { ShelfSeen } from '../../machines/witness/shelf-seen.ts';
import type { LetterSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { letter } from '../patrols/seen.ts';
import { cycleOf } from './acts.ts';

const LIMIT = WITNESS.lettersPerHour;
const flood = (count: number, subject: string, more: Partial<LetterSeen> = {}): LetterSeen[] =>
  Array.from({ length: count }, (_, nth) => letter(subject, { id: `m${nth}`, ...more }));
const shelf = (more: Partial<ShelfSeen>): ShelfSeen => ({ aside: 0, later: 0, handled: new Map(), ...more });
/** In short words: what stands with its count, what is shelved with how many letters. */
const shortOf = (more: Partial<WitnessSeen>): string[] =>
  cycleOf(more).flatMap((act) => {
    if (act.act === 'stand') return [`${act.kind}: ${/^\d+/.exec(act.text)?.[0] ?? ''}`];
    if (act.act === 'tell') return [`tell ${act.about}`];
    if (act.act === 'shelve') return [`${act.to} ${act.mails.length}`];
    return [];
  });

describe('letters', () => {
  // Rules: W-1.
  test.each<[what: string, seen: Partial<WitnessSeen>, acts: string[]]>([
    ['one that no witness knows', { letters: flood(1, 'lunch?') }, ['witness-mail: 1', 'aside 1']],
    [
      'ten thousand that no witness knows',
      { letters: flood(10_000, 'lunch?') },
      ['witness-mail: 10000', 'aside 10000'],
    ],
    [
      'more of them, and a person was told',
      { letters: flood(3, 'lunch?'), shelf: shelf({ aside: 5 }) },
      ['witness-mail: 8', 'aside 3'],
    ],
    ['as many as were told', { shelf: shelf({ aside: 5 }) }, []],
    [
      'more calls for help than the budget',
      { letters: flood(LIMIT + 7, 'HELP: security, it is broken') },
      [...Array<string>(LIMIT).fill('tell help/nux'), 'witness-budget: 7', 'later 7'],
    ],
    [
      'the budget of the hour is used up',
      { letters: flood(2, 'HELP: x'), shelf: shelf({ later: 7, handled: new Map([['nux', LIMIT]]) }) },
      ['witness-budget: 9', 'later 2'],
    ],
    [
      'another sender has a budget of its own',
      { letters: flood(1, 'HELP: emergency', { from: 'ada' }), shelf: shelf({ handled: new Map([['nux', LIMIT]]) }) },
      ['tell help/ada'],
    ],
    [
      'what waited is handled in a later hour',
      {
        letters: flood(2, 'HELP: emergency', { isLate: true }),
        shelf: shelf({ later: 2 }),
      },
      ['tell help/nux', 'tell help/nux'],
    ],
    [
      'a letter that is known comes behind a flood of unknown ones',
      { letters: [...flood(5_000, 'lunch?'), letter('HELP: emergency', { id: 'last' })] },
      ['tell help/nux', 'witness-mail: 5000', 'aside 5000'],
    ],
  ])('%s', (_, more, acts) => {
    expect(shortOf(more)).toEqual(acts);
  });
});
