/** Work and convoys of a report, in words. Pure. */
import { times } from '../../../machines/kernel/span.ts';
import { about } from '../../journal/when.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import { REPORT } from '../policy.ts';
import type { Convoy } from './gather-work.ts';
import type { Entry, Section } from './report-page.ts';
import { OUTCOMES, type Outcome, type WorkItem } from './work.ts';

const WORDS: Readonly<Record<Outcome, string>> = {
  merged: 'merged',
  failed: 'failed',
  waits: 'waits for you',
  to_merge: 'with the refinery',
  under_way: 'under way',
  not_begun: 'not begun',
  kept: 'closed without a merge, its commits kept',
  closed: 'closed without a merge',
};

export type Counts = Readonly<Record<Outcome, number>>;
export const countsOf = (items: readonly WorkItem[]): Counts =>
  Object.fromEntries(OUTCOMES.map((one) => [one, items.filter(({ outcome }) => outcome === one).length])) as Counts;

/** `work: 4 merged, 1 failed, 1 waits for you, 2 not begun`. */
export function workSentence(counts: Counts): string {
  const named = OUTCOMES.filter((one) => counts[one] > 0).map((one) => `${counts[one]} ${WORDS[one]}`);
  return `work: ${named.length === 0 ? 'none' : named.join(', ')}`;
}

/** One for each outcome. What is too much for a page is counted. */
export const workSections = (items: readonly WorkItem[]): Section[] =>
  OUTCOMES.map((one) => {
    const all = items.filter(({ outcome }) => outcome === one);
    const more = all.length - REPORT.shown;
    const rest: Entry[] = more > 0 ? [{ title: `… and ${more} more`, type: ['town report --json'] }] : [];
    return { heading: WORDS[one], entries: [...all.slice(0, REPORT.shown).map(entryOf), ...rest] };
  });

function entryOf({ title, why, type, ...item }: WorkItem): Entry {
  return { title, facts: factsOf(item), why: shortened(why), type };
}

function factsOf(item: Omit<WorkItem, 'title' | 'why' | 'type'>): string[] {
  const { bead, rig, branch, commit, agent, attempts, elapsed_ms: ms, waits_for: waits } = item;
  const at = commit === null ? '' : ` at ${commit.slice(0, RIG_WORK.shortCommit)}`;
  return [
    bead,
    ...(branch === null ? [] : [`${branch}${at}`]),
    ...(agent === null ? (rig === '' ? [] : [rig]) : [agent]),
    ...(attempts > 1 ? [times(attempts, 'attempt')] : []),
    ...(ms === null ? [] : [about(ms)]),
    ...(waits.length === 0 ? [] : [`waits for ${waits.join(', ')}`]),
  ];
}

/** A test may print much before it says what failed: `town why` has all of it. */
const shortened = (text: string): string =>
  [...text].length <= REPORT.whyChars ? text : `${[...text].slice(0, REPORT.whyChars).join('')} …`;

export const convoySection = (convoys: readonly Convoy[]): Section => ({
  heading: 'convoys',
  entries: convoys.slice(0, REPORT.shown).map(({ id, title, closed, total, is_over }) => ({
    title: `${is_over ? 'landed: ' : ''}${title}`,
    facts: [id, `${closed} of ${times(total, 'bead')} closed`],
  })),
});
