/** What patrols noted of an agent, as they read it. */
import { addressOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { UnreadSeen } from '../../../machines/patrols/observation.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { keepNote, notesOf, type Noted, type Notes } from '../../../state/patrols/notes.ts';
import type { RecordUnread } from '../../../state/files/strict-read.ts';
import { age, order } from '../../ports/age.ts';

export interface Noting {
  readonly disk: Disk;
  /** Wall ms. */
  readonly now: number;
}

export const remember = (
  { disk, now }: Noting,
  agent: string,
  what: Noted,
  kind: string,
  text: string,
): Promise<void> => keepNote(disk, agent, what, { kind, text, at: now });

interface At {
  readonly at: number;
}

/** What an earlier polecat of the name left is none of this one's (law 3). */
export const ofLife = <One extends At>({ at }: At, one: One | null | undefined): One | null =>
  one && order(one.at) >= order(at) ? one : null;

export async function notesOfLife(disk: Disk, record: PolecatRecord): Promise<Notes> {
  const all = Object.entries(await notesOf(disk, addressOf(record)));
  return Object.fromEntries(all.filter(([, one]) => ofLife(record, one) !== null));
}

/** A record that does not count, as a look says it. */
export const unreadSeen = ({ path, message: why }: RecordUnread): UnreadSeen => {
  return { file: path.slice(path.lastIndexOf('/') + 1), why };
};

/** How long ago that was; null = never. */
export const agoOf = (one: At | null | undefined, now: number): number | null => (one ? age(one.at, now) : null);

/** Why a pane takes no words, which shows that its agent works, or waits for a person or for its limit. */
export const EXEMPTS: ReadonlySet<string> = new Set(['nudge_working', 'nudge_dialog', 'nudge_limited']);
/**
 * Reasons of a pane to take no words that say nothing about its agent: it counts as nudged, and a case decides in the
 * end.
 */
export const UNSPOKEN: ReadonlySet<string> = new Set(['nudge_busy', 'nudge_paneless', 'nudge_protected']);
export const NOT_EXEMPT = 'none';
/** The kind of a note of words that were to be typed, and were not: an agent that did not get them keeps its wish. */
export const UNTYPED = 'unspoken';
