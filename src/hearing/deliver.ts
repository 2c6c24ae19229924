/**
 * Words for a found pane: what stands in the way of any key, the paste, and Enter until the program took them (D-6, law 6).
 * 1. Nothing is typed into copy mode, a shell, a dialog, or under a person's hands.
 * 2. Each Enter looks first: on a dialog that came up meanwhile it would be an answer.
 */
import type { Incarnation, Obstacle } from '../../machines/protocol.ts';
import type { Pack } from '../screen/screen.ts';
import { isFault } from '../tmux/errors.ts';
import { findPane, unknown } from './pane.ts';
import type { Found } from './pane.ts';
import { personAt } from './people.ts';
import { enterPause, isOurs, paste, pasteOf, pressEnter } from './typing.ts';
import { viewOf } from './view.ts';
import type { HearingDeps, View } from './view.ts';

export interface Delivery {
  readonly target: Incarnation;
  readonly found: Found;
  readonly lines: readonly string[];
}

/** Something stands in the way; thrown inside, a value outside. */
export class Stopped extends Error {
  readonly obstacle: Obstacle;
  constructor(obstacle: Obstacle) {
    super(obstacle.kind);
    this.obstacle = obstacle;
  }
}

/** A tmux that answers no is an obstacle like any other and counts; one that gives no answer is unknown (D-6, law 1). */
export function obstacleOf(error: unknown): Obstacle {
  if (error instanceof Stopped) return error.obstacle;
  return isFault(error, 'refused') ? { kind: 'busy', what: `tmux refused: ${error.message}` } : unknown(error);
}

/** The pane as it is now; throws what stands in the way of any key. `lines`: what may stand there already, as our own. */
export async function lookAround(deps: HearingDeps, { target, found, lines }: Delivery): Promise<View> {
  const { searchRows } = deps.policy;
  const view = await viewOf(deps, target, found, (historySize) => historySize - searchRows, [lines]);
  const busy = (what: string): Stopped => new Stopped({ kind: 'busy', what });
  if (view.shot.inMode) throw busy('the pane is in copy mode');
  if (view.foreground.isShell) throw busy('an interactive shell is in the foreground; text typed there would be run');
  const person = await personAt(deps, found, deps.clock.wall(), deps.policy);
  if (person !== null) throw new Stopped({ kind: 'person', what: person });
  if (view.screen.state === 'blocked') throw new Stopped({ kind: 'dialog', what: view.screen.what });
  if (view.pack.complete && view.screen.state === 'unknown')
    throw busy(`a screen that the pack ${view.pack.name} does not know`);
  return view;
}

/** Puts the lines before the program, unsent, if it is still the same life; then waits as long as Enter has to. */
export async function put(
  deps: HearingDeps,
  { target, found, lines }: Delivery,
  pack: Pack,
  signal: AbortSignal,
): Promise<void> {
  const text = pasteOf(lines, pack);
  await paste(deps, found.paneId, text, async () => {
    signal.throwIfAborted();
    const still = await findPane(deps, target);
    if (still.kind !== 'found') throw new Stopped(still);
  });
  await deps.clock.sleep(enterPause(text.length, deps.policy), signal);
}

/** Enter, until a composer that we can read is empty. */
export async function submit(
  deps: HearingDeps,
  { target, found, lines }: Delivery,
  signal: AbortSignal,
): Promise<void> {
  for (let enters = 0; enters <= deps.policy.mostEnters; enters += 1) {
    signal.throwIfAborted();
    await lookAround(deps, { target, found, lines });
    await pressEnter(deps, found.paneId);
    await deps.clock.sleep(deps.policy.enterAfterMs, signal);
    const { screen } = await viewOf(deps, target, found, (historySize) => historySize);
    if (screen.composer === null || screen.composer.draft === '') return;
    if (!isOurs(screen.composer.draft, lines) && !isFolded(screen.composer.draft)) return;
  }
  throw new Stopped({
    kind: 'busy',
    what: `not submitted: the composer still holds our text after ${deps.policy.mostEnters + 1} Enters`,
  });
}

/** A long paste is shown as a placeholder. */
const isFolded = (draft: string): boolean => /^\[Pasted text #\d+/.test(draft);
