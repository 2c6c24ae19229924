/**
 * The order `answerDialog`: chooses one option of the dialog that stands on a life's screen, for the operator.
 * 1. It looks again right before each key. Another dialog, another screen, or a person at the keys: nothing is pressed.
 * 2. The key is the one that this dialog offers beside this very label, and tmux presses it only if nothing moved since.
 * 3. Enter follows arrows only once the pointer is seen at the label.
 * 4. The next look is the proof. A dialog that still stands after a while, or asks the same below other rows, is told as unproved.
 * 5. A key is on record before it is pressed. Until its dialog is gone, or its program has read it, no order presses another: the program
 *    reads both once it wakes, and the second would answer what it asks next.
 * 6. A program that takes answers by the id of its question gets it so, and no key is pressed: one that is over changes nothing.
 */
import type { OrderOf, Perform } from '../ports/ports.ts';
import { contentOf, isRequest, type DialogOnScreen, type Offer } from '../screen/dialog.ts';
import { asksPerson, type Screen } from '../screen/screen.ts';
import { dialogOf } from '../sources/question.ts';
import { askedBy, lookAt, Refused, type AnswerDeps, type Standing } from './dialog-now.ts';
import { isUnsent } from '../tmux/errors.ts';
import type { FoundPane } from './pane.ts';
import type { TypingDeps } from './pace.ts';
import { personAt } from './people.ts';
import { confirmKey, forgetKey, forgetOnceGone, keyUnderWay, noteKey, sizeOf } from './pressed-key.ts';
import { pressKey } from './typing.ts';
import type { View } from './view.ts';

type Answer = OrderOf<'answerDialog'>;

export interface HandDeps extends AnswerDeps {
  /** Takes the uuid of each life whose dialog is gone behind an answer, before what follows is looked at. */
  readonly ended: (uuid: string) => void;
}

/** DIALOG_ANSWERED or DIALOG_NOT_ANSWERED; rejects only when the order's time limit is over. */
export const answerDialogHand =
  (deps: HandDeps): Perform<Answer> =>
  async (order, signal) => {
    const { session, paneId } = order.target;
    if (deps.isProtected(session))
      return {
        type: 'DIALOG_NOT_ANSWERED',
        why: `${session} is a protected name; answer it in its pane`,
        given: false,
      };
    return deps.queue.run(paneId, async () => {
      signal.throwIfAborted();
      const done = { given: false };
      try {
        const answer = isRequest(order.dialog) ? byRequest : choose;
        const then = await answer(deps, order, signal, done);
        return { type: 'DIALOG_ANSWERED', option: order.option, then };
      } catch (error) {
        signal.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        if (!(error instanceof Refused))
          return { type: 'DIALOG_NOT_ANSWERED', why: `it is unknown what stands there: ${why}`, ...done };
        const { exit } = error;
        return { type: 'DIALOG_NOT_ANSWERED', why, ...done, ...(exit !== undefined && { exit }) };
      }
    });
  };

/** Whether the answer may have reached its program. */
interface Done {
  given: boolean;
}

/** As `choose`. */
async function byRequest(deps: HandDeps, order: Answer, signal: AbortSignal, done: Done): Promise<string> {
  const { clock, policy, memory } = deps;
  const { target, dialog, option, text } = order;
  const asked = await askedInTime(deps, order, signal);
  if (asked === undefined) throw new Refused('its program does not say now what it asks; try again');
  if (asked === null) throw new Refused('it asks nothing any more; see `town questions`', 3);
  if (dialogOf(asked, target.uuid).id !== dialog)
    throw new Refused(`it asks something else now (${asked.question}); see \`town questions\``, 5);
  const offer = asked.offers.find(({ label }) => label === option);
  if (offer === undefined) throw new Refused(`it does not offer ${JSON.stringify(option)} any more`);
  if ((offer.text === undefined) !== (text === undefined))
    throw new Refused(`${JSON.stringify(option)} ${text === undefined ? 'needs' : 'takes no'} text behind it`);
  done.given = true;
  const taken = await asked.answer(option, text);
  if (typeof taken === 'object') {
    done.given = false;
    throw new Refused(taken.why);
  }
  if (taken === 'over') throw new Refused('it was answered meanwhile; see `town questions`', 3);
  memory.answered(target, clock.now());
  for (const until = clock.now() + policy.answerProvedMs; clock.now() < until;) {
    const isOver = await asked.isOver();
    // Another answer may have ended it: its program did not say that it took this one.
    if (isOver && taken === 'unknown')
      throw new Refused('it is over, and it is not known by which answer; look at its pane', 3);
    // It was taken, also where nothing can be seen afterwards.
    if (isOver) return afterRequest(deps, order, signal).catch(() => UNSEEN);
    await clock.sleep(policy.enterAfterMs, signal);
  }
  throw new Refused('its program got the answer, and does not say that it took it; look at its pane');
}

/** After a start of the town its program may not have told yet what it asks. */
async function askedInTime(deps: AnswerDeps, { target }: Answer, signal: AbortSignal): ReturnType<typeof askedBy> {
  const { clock, policy } = deps;
  for (const until = clock.now() + policy.answerProvedMs; ;) {
    signal.throwIfAborted();
    const asked = await askedBy(deps, target);
    if (asked !== undefined || clock.now() >= until) return asked;
    await clock.sleep(policy.enterAfterMs, signal);
  }
}

const UNSEEN = 'its screen is not known';

/** What stands there afterwards, as the end of a sentence. */
async function choose(deps: HandDeps, order: Answer, signal: AbortSignal, done: Done): Promise<string> {
  const { clock, policy } = deps;
  let until = clock.now() + policy.answerProvedMs;
  let last: Offer | null = null;
  let asked: string | undefined;
  let size: string | null = null;
  for (;;) {
    signal.throwIfAborted();
    const standing = await lookAt(deps, order.target);
    const { view, dialog } = standing;
    const sizeNow = sizeOf(view.capture);
    if (last === null) await forgetOnceGone(deps, order.target, standing);
    if (dialog?.id === order.dialog) {
      const offer = offerOf(dialog, order.option, last === null);
      const key = offer && nextKey(offer, last);
      const isPressed: boolean =
        key !== null && (await press(deps, order, standing, { key, isFirst: last === null, done }));
      if (offer !== null && isPressed) {
        [last, asked] = [offer, ownWords(dialog)];
        size ??= sizeNow;
        until = clock.now() + policy.answerProvedMs;
      }
    } else if (last === null) {
      const what = `another screen stands there now (${wordsOf(view.screen)}); see \`town questions\``;
      throw new Refused(what, asksPerson(view.screen) ? 5 : 3);
    } else if (size === sizeNow && ownWords(dialog) !== asked) {
      // Where the disk refuses, the next scan forgets it.
      await forgetKey(deps, order.target).catch(() => undefined);
      return wordsOf(await afterwards(deps, order, signal));
    }
    if (clock.now() >= until) throw unproved(last !== null, size === sizeNow ? dialog?.id === order.dialog : null);
    await clock.sleep(policy.enterAfterMs, signal);
  }
}

/** `isThere`: the very dialog; false = the same question below other rows, null = its pane has another size. */
function unproved(isPressed: boolean, isThere: boolean | null): Refused {
  if (!isPressed) return new Refused('its screen changed at each try, and nothing was pressed');
  const open = isThere === true ? 'the dialog is still open' : 'it still asks the same';
  return new Refused(
    `the key was pressed, but ${isThere === null ? 'its pane has another size now' : open}; look at its pane`,
  );
}

/** null = not offered while an answer to it is under way. */
function offerOf({ offers }: DialogOnScreen, option: string, isFirst: boolean): Offer | null {
  const offer = offers.find(({ label }) => label === option) ?? null;
  if (offer === null && isFirst) throw new Refused(`it does not offer ${JSON.stringify(option)} any more`);
  return offer;
}

/** Its own words, wherever they stand: a key that opens a field beside the options moves all that is above, and gives it another id. */
const ownWords = (dialog: DialogOnScreen | null): string | undefined => dialog?.content.map(contentOf).join('\n');

interface Key {
  readonly key: string;
  /** Of this order. */
  readonly isFirst: boolean;
  readonly done: Done;
}

/** false = the pane was another by then, and nothing was pressed. */
async function press(
  deps: HandDeps,
  order: Answer,
  { found, view }: Standing,
  { key, isFirst, done }: Key,
): Promise<boolean> {
  const { target, dialog, option } = order;
  const note = isFirst ? { dialog, option, size: sizeOf(view.capture) } : null;
  if (note !== null) {
    const before = await keyUnderWay(deps, target);
    done.given = before !== null;
    if (before !== null) throw new Refused(before);
  }
  await mustBeFree(deps, found, view).catch(async (error: unknown) => {
    // What was pressed before was seen to move the pointer.
    if (note === null) await forgetKey(deps, target);
    throw error;
  });
  if (note !== null) await noteKey(deps, target, note);
  done.given = true;
  const takeBack = async (): Promise<void> => {
    if (note === null) return;
    done.given = false;
    await forgetKey(deps, target);
  };
  const isPressed = await pressKey(deps, found, view.capture, key).catch(async (error: unknown) => {
    if (isUnsent(error)) await takeBack();
    throw error;
  });
  if (!isPressed) await takeBack();
  else {
    deps.memory.answered(target, deps.clock.now());
    if (note !== null) await confirmKey(deps, target);
  }
  return isPressed;
}

/** null = the last one has shown no effect yet. */
function nextKey(offer: Offer, last: Offer | null): string | null {
  const [key = null] = offer.keys;
  if (last === null || last.keys.length !== offer.keys.length) return key;
  // A number may only move the pointer to its option.
  return offer.chosen && !last.chosen ? 'Enter' : null;
}

async function mustBeFree(deps: TypingDeps, found: FoundPane, { capture, foreground }: View): Promise<void> {
  if (capture.inMode) throw new Refused('its pane is in copy mode');
  if (capture.synchronized) throw new Refused('its window sends what is typed to all its panes (synchronize-panes)');
  if (foreground.isShell) throw new Refused('an interactive shell is in the foreground');
  const person = await personAt(deps, found.sessionIds);
  if (person !== null) throw new Refused(`${person}; answer it in the pane`);
}

/** Once the program has drawn what follows. */
async function afterwards(deps: HandDeps, { target }: Answer, signal: AbortSignal): Promise<Screen> {
  deps.ended(target.uuid);
  await deps.clock.sleep(deps.policy.enterAfterMs, signal);
  return (await lookAt(deps, target)).view.screen;
}

/** A program may still draw the question that it has the answer to: what it asks next is for its own word alone. */
async function afterRequest(deps: HandDeps, order: Answer, signal: AbortSignal): Promise<string> {
  const screen = await afterwards(deps, order, signal);
  const asked = await askedBy(deps, order.target);
  if (asked && dialogOf(asked, order.target.uuid).id !== order.dialog) return `it asks: ${asked.question}`;
  if (!asksPerson(screen)) return wordsOf(screen);
  return asked === null ? 'it asks nothing more' : UNSEEN;
}

function wordsOf(screen: Screen): string {
  if (asksPerson(screen)) return `it asks: ${screen.what}`;
  if (screen.busy) return 'it works';
  return screen.state === 'unknown' ? UNSEEN : `its screen is ${screen.state.replace('_', ' ')}`;
}
