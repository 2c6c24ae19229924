/** A polecat's worktree as the patrol's rules see it. Pure. */
import { isHalfGone, isHalfMade, type PolecatRecord } from '../../../machines/rigs/records.ts';
import { barriersOf, mayOf, NOTHING_SEEN, type WorktreeFacts } from '../../../machines/rigs/worktree.ts';
import type { TreeState } from '../../../machines/witness/observation.ts';
import { RIG_WORK } from '../../rigs/policy.ts';

const MAY: Readonly<Record<ReturnType<typeof mayOf>, TreeState>> = { remove: 'clean', push: 'unpushed', keep: 'dirty' };

/** What the patrol's rules know of a worktree. */
export function treeStateOf(facts: WorktreeFacts, record: PolecatRecord): TreeState {
  if (facts.place === 'missing' && (isHalfMade(record) || isHalfGone(record))) return 'going';
  if (facts.place === 'there') return MAY[mayOf(facts)];
  return facts.place === 'unknown' ? 'unknown' : 'wrong';
}

/** What git says of it, for a person; '' = it was not looked at. */
export function treeTextOf(facts: WorktreeFacts): string {
  if (facts === NOTHING_SEEN) return '';
  const barriers = barriersOf(facts).map(({ says }) => `it ${says}`);
  const says = facts.place === 'missing' ? [...goneText(facts), ...barriers] : barriers;
  return says.length === 0 ? 'clean' : says.join('; ');
}

const goneText = ({ head }: WorktreeFacts): string[] => [
  'it is not there',
  ...(head === null ? [] : [`git keeps commits of its branch, up to ${head.slice(0, RIG_WORK.shortCommit)}`]),
];
