/**
 * Whether a screen that shows work is one of a program that works (W-4, law 1). A stopped or hung program leaves its spinner and
 * its clock standing: what shows work, and has not moved by one sign for a while, shows nothing. Pure but for one more look.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import type { Found } from './pane.ts';
import { viewOf, type HearingDeps, type View } from './view.ts';

/** Work as the pack knows it. What goes on beside the talk whatever the agent does (a server in the background) is none. */
export const showsWork = ({ screen, pack }: Pick<View, 'screen' | 'pack'>): boolean =>
  screen.busy && !pack.rule.some(({ weak, name }) => weak && screen.rule === `${pack.name}/${name}`);

/** What is compared, colours and clocks too: a program that only redraws its spinner lives. */
const printOf = ({ capture }: Pick<View, 'capture'>): string => [capture.title, ...capture.screen].join('\n');

/**
 * False = it stands still: the same picture was seen `stillWorkMs` ago, and a moment later it is the same again. Rejects as a look
 * does.
 */
export async function isMoving(deps: HearingDeps, target: Incarnation, found: Found, view: View): Promise<boolean> {
  const { memory, clock, policy } = deps;
  const print = printOf(view);
  const now = clock.now();
  if (now - memory.standsSince(target, print, now) < policy.stillWorkMs) return true;
  await clock.sleep(policy.enterAfterMs * LOOKS_APART);
  return printOf(await viewOf(deps, target, found, { from: (historySize) => historySize })) !== print;
}

/** A spinner that comes round is at another place after so many pauses. */
const LOOKS_APART = 5;
