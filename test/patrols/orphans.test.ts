/** What outlives an agent that is not started again: the table, cell by cell. */
import { expect, test } from 'vitest';
import { orphanAct, type OrphanDid } from '../../machines/patrols/orphans.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import { MINUTE } from './seen.ts';

const [YOUNG, OLD] = [MINUTE - 1, MINUTE];

// Rules: P-16.
test.each<[last: OrphanDid | null, agoMs: number, next: OrphanDid | null]>([
  [null, 0, 'saw'],
  ['saw', YOUNG, null],
  ['saw', OLD, 'TERM'],
  ['TERM', YOUNG, null],
  ['TERM', OLD, 'KILL'],
  ['KILL', YOUNG, null],
  ['KILL', OLD, 'told'],
  ['told', YOUNG, null],
  ['told', OLD, null],
])('a polecat’s, last %s, %i ms ago: %s', (did, agoMs, next) => {
  const last = did === null ? null : { did, agoMs };
  expect(orphanAct({ isPatrols: true, last }, PATROL, 'tell')).toBe(next);
  expect(orphanAct({ isPatrols: false, last }, PATROL, 'end')).toBe(next);
  expect(orphanAct({ isPatrols: false, last }, PATROL, 'tell')).toBe(null);
});
