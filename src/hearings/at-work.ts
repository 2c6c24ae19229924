/**
 * Whether a screen that shows work is one of a program that works (W-4, law 1). A stopped or hung program leaves its spinner and
 * its clock standing: what shows work, and has not moved by one sign for a while, shows nothing.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import type { FoundPane } from './pane.ts';
import { viewOf, type HearingDeps, type View } from './view.ts';

/** Work as the pack recognises it. Activity beside the conversation (a server in the background) is none. */
const showsWork = ({ screen, pack }: Pick<View, 'screen' | 'pack'>): boolean =>
  screen.busy && !pack.rule.some(({ weak, name }) => weak && screen.rule === `${pack.name}/${name}`);

/** What is compared, colours and clocks too: a program that only redraws its spinner lives. */
export const pictureOf = ({ capture }: Pick<View, 'capture'>): string => [capture.title, ...capture.screen].join('\n');

/**
 * What a screen says of work, for every judgement that counts work: nudges, patrols, Boot. none: it shows none · still: it shows
 * work, and the same picture was seen `stillWorkMs` ago and stands again a moment later · working: else, so that a screen that
 * is seen for the first time has the benefit of the doubt. Rejects as a look does.
 */
export type Work = 'none' | 'working' | 'still';

export async function workOn(deps: HearingDeps, target: Incarnation, found: FoundPane, view: View): Promise<Work> {
  if (!showsWork(view)) return 'none';
  const { memory, clock, policy } = deps;
  const picture = pictureOf(view);
  const now = clock.now();
  if (now - memory.unchangedSince(target, picture, now) < policy.stillWorkMs) return 'working';
  await clock.sleep(policy.enterAfterMs * LOOKS_APART);
  return pictureOf(await viewOf(deps, target, found, { from: (historySize) => historySize })) === picture
    ? 'still'
    : 'working';
}

export const stillText = (what: string): string => `it shows work, and nothing on its screen moves: ${what}`;

/** A spinner that comes round is at another place after so many pauses. */
const LOOKS_APART = 5;
