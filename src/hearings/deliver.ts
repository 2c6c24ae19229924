/**
 * Types lines into a pane and submits them, for questions and nudges alike (D-6, law 6). Each step looks at the pane first:
 * `viewForTyping` throws what stands in the way, `typeLines` pastes, `untilShown` waits for the text, `submit` presses Enter.
 * 1. Text goes only where it is proved safe: into an empty composer that was seen; without one into a terminal in line
 *    mode, or on a screen where nothing speaks against it. Never into copy mode, a shell, a dialog, a draft, under a
 *    person's hands.
 * 2. Enter goes only behind our own text, seen at the cursor. Each Enter looks first: on a dialog it would be an
 *    answer.
 * 3. Our own words that a program put back are taken out again, if they are exactly ours; other words never are. So are
 *    those in the line that a terminal gathers, when other words came between them and the cursor, and those before an
 *    unseen draft: one of blanks, or of the program's own suggestion, with the cursor at its beginning.
 */
import { times } from '../../machines/kernel/span.ts';
import type { Incarnation, Ms, Obstacle } from '../../machines/protocol.ts';
import { isUnread } from '../proc/unread.ts';
import type { Pack } from '../screen/pack.ts';
import { asksPerson, limitWords } from '../screen/screen.ts';
import { isFault } from '../tmux/errors.ts';
import { findPane, unknown, type FoundPane } from './pane.ts';
import { personAt } from './people.ts';
import { pictureOf } from './at-work.ts';
import { draftStateOf, endsAtCursor, holdsOurs, isLeftOver, type Typed } from './draft-state.ts';
import { stoppedNow, stoppedText } from './stopped.ts';
import { enterPause, eraseDraft, paste, pasteOf, pressEnter } from './typing.ts';
import { viewOf, type HearingDeps, type View } from './view.ts';

export interface Delivery {
  readonly target: Incarnation;
  readonly found: FoundPane;
  readonly lines: readonly string[];
  /** Whether the lines may stand there as ours. */
  readonly typed: Typed;
  /** The operator wants them typed as they are. */
  readonly isRaw: boolean;
  /** A usage limit that is shown does not stop them: it may be over. */
  readonly atLimit?: true | undefined;
}

/** Something stands in the way; thrown inside, a value outside. */
export class ObstacleError extends Error {
  readonly obstacle: Obstacle;
  /** What we typed is not there any more: we took it back. */
  readonly isTakenBack: boolean;
  /** Its program gave the words back at each Enter. */
  readonly isRefused: boolean;
  /** What was seen, where its screen stands in the way. */
  readonly view: View | null;
  constructor(
    obstacle: Obstacle,
    {
      isTakenBack = false,
      isRefused = false,
      view = null,
    }: Partial<Pick<ObstacleError, 'isTakenBack' | 'isRefused' | 'view'>> = {},
  ) {
    super(obstacle.kind);
    this.obstacle = obstacle;
    this.isTakenBack = isTakenBack;
    this.isRefused = isRefused;
    this.view = view;
  }
}

const busy = (what: string, more: ConstructorParameters<typeof ObstacleError>[1] = {}): ObstacleError =>
  new ObstacleError({ kind: 'busy', what }, more);

/** A tmux that answers no is an obstacle like any other and counts; one that gives no answer is unknown (D-6, law 1). */
export function obstacleOf(error: unknown): Obstacle {
  if (error instanceof ObstacleError) return error.obstacle;
  return isFault(error, 'refused') ? { kind: 'busy', what: `tmux refused: ${error.message}` } : unknown(error);
}

/** Throws where the pane itself makes text unsafe; the screen is read after that. */
function mustTakeKeys({ capture, foreground, lineMode }: View): void {
  if (capture.inMode) throw busy('the pane is in copy mode');
  if (capture.synchronized) throw busy('its window sends what is typed to all its panes (synchronize-panes)');
  if (foreground.isShell) throw busy('an interactive shell is in the foreground; text typed there would be run');
  if (lineMode === 'secret') throw busy('its terminal shows nothing of what is typed, as for a password');
}

/** What is typed into a stopped program stands there unread. */
async function mustRun(deps: HearingDeps, { target, found }: Delivery): Promise<void> {
  const stopped = await stoppedNow(deps, target, found);
  if (stopped?.by === 'stopped') throw busy(stoppedText(stopped));
}

/** The pane as it is now; throws what stands in the way of any key. */
export async function viewForTyping(deps: HearingDeps, delivery: Delivery): Promise<View> {
  const { target, found, lines, typed, atLimit } = delivery;
  const { searchRows } = deps.policy;
  const from = (historySize: number): number => historySize - searchRows;
  const view = await viewOf(deps, target, found, { from, questions: [lines], toType: true });
  const { screen } = view;
  mustTakeKeys(view);
  await mustRun(deps, delivery);
  const person = await personAt(deps, found.sessionIds);
  if (person !== null) throw new ObstacleError({ kind: 'person', what: person });
  if (asksPerson(screen)) throw new ObstacleError({ kind: 'dialog', what: screen.what });
  if (screen.state === 'limited' && atLimit !== true)
    throw new ObstacleError({ kind: 'limited', what: limitWords(screen) });
  const standing = draftStateOf(view, lines, typed);
  if (standing === 'whole' || standing === 'part' || standing === 'before') return view;
  // Its words stay here: this is told in alerts, and it may be a password.
  if (screen.composer !== null && screen.composer.draft !== '') {
    const sentTexts = (await deps.sentTexts?.(target)) ?? [];
    if (isLeftOver(screen.composer.draft, target.session, sentTexts)) return view;
    throw busy(`a half-typed line (${times([...screen.composer.draft].length, 'character')})`, { view });
  }
  const isAtLimit = screen.state === 'limited' && screen.composer !== null && !screen.busy;
  if (!screen.mayType && !isAtLimit) throw busy(`${unsafe(view)}; ${wayOn(target)}`, { view });
  return view;
}

const wayOn = ({ session }: Incarnation): string =>
  `see \`town explain ${session}\`; keep its screen with \`town record ${session} --out FILE\` and try a pack of yours on it with \`town rules test FILE --agent PACK\``;

function unsafe({ pack, screen }: View): string {
  const rule = screen.rule.slice(screen.rule.indexOf('/') + 1);
  if (pack.complete) return `no empty composer of ${pack.label} is in sight (its screen is ${screen.state})`;
  const why: Readonly<Record<string, string>> = {
    fullscreen: 'it draws on the alternate screen',
    box: 'a box is on its screen',
    behind: 'no prompt stands before the cursor, or words stand behind it',
    draft: 'words stand at the cursor',
    shell: 'the prompt of a shell is at the cursor, and what is typed there would be run',
    choice: 'what it shows looks like a menu, or like a question',
  };
  return `it is not known where it takes text: ${why[rule] ?? screen.what}`;
}

/** What makes the text a command of its program; undefined = nothing does. */
export function commandSign(
  { never_first: signs }: Pick<Pack, 'never_first'>,
  lines: readonly string[],
): string | undefined {
  const text = pasteOf(lines).trim().toLowerCase();
  return signs.find((sign) => (/^\w/.test(sign) ? text === sign : text.startsWith(sign)));
}

export const commandText = ({ label }: Pick<Pack, 'label'>, sign: string): string =>
  `${label} takes what begins with ${JSON.stringify(sign)} for a command`;

/** Puts the lines before the program, unsent, if it is still the same life, and gives it time to show them. */
export async function typeLines(
  deps: HearingDeps,
  delivery: Delivery,
  view: View,
  signal: AbortSignal,
): Promise<Delivery> {
  const { target, found, lines } = delivery;
  const sign = delivery.isRaw ? undefined : commandSign(view.pack, lines);
  if (sign !== undefined) throw busy(commandText(view.pack, sign));
  if (view.screen.composer !== null && view.screen.composer.draft !== '') await takeOut(deps, delivery, view, signal);
  const text = pasteOf(lines);
  await paste(deps, found.paneId, text, async () => {
    signal.throwIfAborted();
    const still = await findPane(deps, target);
    if (still.kind !== 'found') throw new ObstacleError(still);
  });
  await deps.clock.sleep(enterPause(text.length, deps.policy), signal);
  return { ...delivery, typed: 'now' };
}

/** Our own old words, letter by letter: no key but Backspace takes nothing else along. */
export async function takeOut(deps: HearingDeps, delivery: Delivery, view: View, signal: AbortSignal): Promise<void> {
  const letters = [...(view.screen.composer?.draft ?? '')].length;
  await eraseDraft(deps, delivery.found.paneId, letters * 2);
  await deps.clock.sleep(enterPause(letters, deps.policy), signal);
  const { screen } = await viewForTyping(deps, delivery);
  if (screen.composer?.draft !== '') throw busy('old words of ours in its composer could not be taken out');
}

/**
 * Enter, until the program took the text that was seen. The next one follows what the program showed since the last, or a wait that is longer
 * each time. None goes while the last is unread: the program would read both at once, and the second could answer what the first led to.
 */
export async function submit(deps: HearingDeps, delivery: Delivery, shown: View, signal: AbortSignal): Promise<void> {
  const { found, lines, typed } = delivery;
  const { maxEnters, enterShownMs } = deps.policy;
  let before = shown;
  let enter: Entered = 'read';
  for (let wait = 0; wait < maxEnters; wait += 1) {
    signal.throwIfAborted();
    if (enter === 'read') await pressEnter(deps, found, before.capture);
    enter = await waitForEffect(deps, delivery, { before, waitMs: enterShownMs * 2 ** wait, signal });
    if (enter === 'taken') return;
    if (enter === 'unread') continue;
    before = await viewForTyping(deps, delivery);
    if (!holdsOurs(before, lines, typed)) return;
    if (draftStateOf(before, lines, typed) !== 'whole') throw busy('other words came to ours, and they were not sent');
  }
  if (enter === 'unread') throw busy('not submitted: its program does not read what is typed');
  const isTakenBack = await takeBack(deps, delivery, signal);
  const where = isTakenBack
    ? 'its program gave our text back, and it was taken out again,'
    : 'the composer still holds our text';
  throw busy(`not submitted: ${where} after ${maxEnters} Enters`, { isTakenBack, isRefused: isTakenBack });
}

/** What became of an Enter. taken: the text stands there no more · read: it does, and nothing waits in the terminal · unread: the Enter does. */
type Entered = 'taken' | 'read' | 'unread';

async function waitForEffect(
  deps: HearingDeps,
  { target, found, lines, typed }: Delivery,
  { before, waitMs, signal }: { readonly before: View; readonly waitMs: Ms; readonly signal: AbortSignal },
): Promise<Entered> {
  const { clock, policy } = deps;
  const until = clock.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    await clock.sleep(policy.enterAfterMs, signal);
    const view = await viewOf(deps, target, found, { from: (historySize) => historySize });
    // A composer that is hidden later may still hold the text, while the Enter is unread.
    if (view.screen.composer === null ? isFirst : !holdsOurs(view, lines, typed)) return 'taken';
    const isOver = clock.now() >= until;
    if (!isOver && pictureOf(view) === pictureOf(before)) continue;
    // Of a terminal that does not tell, the wait alone decides.
    const { capture, screen } = view;
    if (capture.tty === null || (await isUnread(capture.tty)) !== true)
      return screen.composer === null && !endsAtCursor(capture, lines) ? 'taken' : 'read';
    if (isOver) return 'unread';
  }
}

/**
 * What a program gives back at each Enter (a hook of its person's refuses it, it has no connection) would stand there as a draft
 * that keeps every later question away. Only what is ours to its last letter is taken out. False = it is not ours alone any more.
 */
async function takeBack(deps: HearingDeps, delivery: Delivery, signal: AbortSignal): Promise<boolean> {
  const { found, lines, typed } = delivery;
  if (draftStateOf(await viewForTyping(deps, delivery), lines, typed) !== 'whole') return false;
  const letters = [...pasteOf(lines)].length;
  await eraseDraft(deps, found.paneId, letters);
  await deps.clock.sleep(enterPause(letters, deps.policy), signal);
  const { screen } = await viewOf(deps, delivery.target, found, { from: (historySize) => historySize });
  return screen.composer?.draft === '';
}

/** Until our whole text stands at the cursor. A program that shows nothing of it has not taken it, or not as input. */
export async function untilShown(deps: HearingDeps, delivery: Delivery, signal: AbortSignal): Promise<View> {
  const { clock, policy } = deps;
  const { found, lines, typed } = delivery;
  const until = clock.now() + policy.pasteShownMs;
  for (;;) {
    signal.throwIfAborted();
    const view = await viewForTyping(deps, delivery);
    const standing = draftStateOf(view, lines, typed);
    if (standing === 'whole') return view;
    const isLate = clock.now() >= until;
    const takesBack = standing === 'before' || (isLate && view.lineMode === 'line');
    const back = { isTakenBack: takesBack };
    if (takesBack) await eraseDraft(deps, found.paneId, [...pasteOf(lines)].length);
    if (standing === 'before') throw busy('a half-typed line that looked like a suggestion of its program', back);
    if (isLate) throw busy('its program does not show the text that was typed; it was not sent', back);
    await clock.sleep(policy.enterAfterMs, signal);
  }
}
