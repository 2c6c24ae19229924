/**
 * Under which names and kinds patrols remember what they saw and did, as evidence in the ledger: a name for each thing that is remembered,
 * so that the newest entry of it says how it stands.
 */
import type { Evidence } from '../../../state/ledger/port.ts';
import { witnessOf } from '../../ledger/evidence-names.ts';
import { age, order } from '../../ports/age.ts';

export { hookOf, witnessOf } from '../../ledger/evidence-names.ts';

/** Kinds of evidence that patrols write and read. */
export const EVIDENCE = {
  seen: 'session',
  report: 'report',
  /** It begins to finish: what it was at then is done, should it come no further. */
  doneIntent: 'done-intent',
  failure: 'failure',
  attempt: 'attempt',
  success: 'success',
} as const;
/** Who remembers for a patrol: of a rig, or `deacon`. */
export const patrolOf = (of: string, what = ''): string =>
  of !== 'deacon' ? witnessOf(of, what) : what === '' ? of : `${of}/${what}`;

/** Who remembers what was said to an agent: the newest counts while no progress came after it. */
export const nudgesOf = (rig: string, agent: string): string => witnessOf(rig, `nudge/${agent}`);

/** Evidence that an agent got a notice: its finished work has no commit, its work was closed, its `done_check` failed, or it left files. */
export const toldOnce = (rig: string, agent: string, what: 'empty' | 'closed' | 'red' | 'dirty'): string =>
  witnessOf(rig, `${what}/${agent}`);

/** What an earlier polecat of the name left is none of this one's (law 3). */
export const ofLife = ({ at }: { readonly at: number }, newest: Evidence | null): Evidence | null =>
  newest !== null && order(newest.at) >= order(at) ? newest : null;

/** Kinds of evidence by which an agent says that it is there. */
export const OF_LIFE: ReadonlySet<string> = new Set([EVIDENCE.report, 'heartbeat']);

/** Why a pane takes no words, which shows that its agent works, or waits for a person or for its limit. */
export const EXEMPTS: ReadonlySet<string> = new Set(['nudge_working', 'nudge_dialog', 'nudge_limited']);
/**
 * Reasons of a pane to take no words that say nothing about its agent: it counts as nudged, and a case decides in the
 * end.
 */
export const UNSPOKEN: ReadonlySet<string> = new Set(['nudge_busy', 'nudge_paneless', 'nudge_protected']);
export const NOT_EXEMPT = 'none';

/** Who remembers the failures of an agent, or of a piece of work. */
export const failuresOf = (rig: string, of: string): string => witnessOf(rig, `failure/${of}`);

/** How long ago that was. */
export function agoOf(one: Pick<Evidence, 'at'>, now: number): number;
export function agoOf(one: Pick<Evidence, 'at'> | null, now: number): number | null;
export function agoOf(one: Pick<Evidence, 'at'> | null, now: number): number | null {
  return one === null ? null : age(one.at, now);
}
