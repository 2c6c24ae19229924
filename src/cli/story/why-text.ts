/** The page of `town why`: one line for each thing that happened, the latest last, and below them how it stands now. Pure. */
import type { Told } from '../../journal/tale.ts';
import { when } from '../../journal/when.ts';
import { hanging } from '../../terminal/layout.ts';

/** A story longer than this is no longer read; the last lines say how it stands now. */
const MAX_LINES = 10;
/** Between a time and what happened then. */
const GAP = '  ';

/** Each with its lead; on a terminal it goes on below itself. */
export const laidOut = (lines: readonly (readonly [lead: string, text: string])[], room: number | null): string =>
  lines.flatMap(([lead, text]) => hanging(lead, text, room)).join('\n');

export interface WhyPage {
  readonly story: readonly Told[];
  readonly now: readonly string[];
  /** The word that was asked about. */
  readonly word: string;
  readonly wall: number;
}

/** The latest of it, as many lines as there may be. */
export function whyText({ story, now, word, wall }: WhyPage, room: number | null): string {
  const most = MAX_LINES - now.length;
  const isCut = story.length > most;
  const shown = isCut ? story.slice(1 - most) : story;
  const ago = shown.map(({ at }) => when(at, wall));
  const width = Math.max(0, ...ago.map((one) => one.length));
  const earlier = isCut ? [`${story.length - shown.length} earlier: town why ${word} --all`] : [];
  return laidOut(
    [
      ...earlier.map((text) => ['', text] as const),
      ...shown.map(({ text }, i) => [`${(ago[i] ?? '').padEnd(width)}${GAP}`, text] as const),
      ...now.map((text) => ['', text] as const),
    ],
    room,
  );
}
