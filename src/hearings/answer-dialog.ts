/**
 * The order `answerDialog`: chooses one option of the dialog that stands on a life's screen, for the operator.
 * 1. It looks again right before each key. Another dialog, another screen, or a person at the keys: nothing is pressed.
 * 2. The key is the one that this dialog offers beside this very label, and tmux presses it only if nothing moved since.
 * 3. Enter follows arrows only once the pointer is seen at the label.
 * 4. The next look is the proof. A dialog that still stands after a while is told as unproved.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';
import { dialogOn, type Dialog, type Offer } from '../screen/dialog.ts';
import { asksPerson, type Screen } from '../screen/screen.ts';
import { findPane, type Found } from './pane.ts';
import type { TypingDeps } from './pace.ts';
import { personAt } from './people.ts';
import { pressKey } from './typing.ts';
import { viewOf, type View } from './view.ts';

type Answer = OrderOf<'answerDialog'>;

/** Why nothing, or nothing more, is pressed; thrown inside, a value outside. */
class Refused extends Error {}

/** DIALOG_ANSWERED or DIALOG_NOT_ANSWERED; rejects only when the order's time limit is over. */
export const answerDialogHand =
  (deps: TypingDeps): Perform<Answer> =>
  async (order, signal) => {
    const { session, paneId } = order.target;
    if (deps.isProtected(session))
      return { type: 'DIALOG_NOT_ANSWERED', why: `${session} is a protected name; answer it in its pane` };
    return deps.queue.run(paneId, async () => {
      signal.throwIfAborted();
      try {
        return { type: 'DIALOG_ANSWERED', then: await choose(deps, order, signal) };
      } catch (error) {
        signal.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        return {
          type: 'DIALOG_NOT_ANSWERED',
          why: error instanceof Refused ? why : `it is unknown what stands there: ${why}`,
        };
      }
    });
  };

interface Standing {
  readonly found: Found;
  readonly view: View;
  /** null = none that could be answered. */
  readonly dialog: Dialog | null;
}

async function lookAt(deps: TypingDeps, target: Incarnation): Promise<Standing> {
  const found = await findPane(deps, target);
  if (found.kind !== 'found') throw new Refused('what' in found ? found.what : 'why' in found ? found.why : GONE);
  const view = await viewOf(deps, target, found, { from: (historySize) => historySize });
  const picture = { rows: view.capture.screen, width: view.capture.width };
  return { found, view, dialog: dialogOn({ pack: view.pack, screen: view.screen, picture }, target.uuid) };
}
const GONE = 'its agent is gone';

/** What stands there afterwards, as the end of a sentence. */
async function choose(deps: TypingDeps, order: Answer, signal: AbortSignal): Promise<string> {
  const { clock, policy } = deps;
  let until = clock.now() + policy.answerProvedMs;
  let last: Offer | null = null;
  for (;;) {
    signal.throwIfAborted();
    const { found, view, dialog } = await lookAt(deps, order.target);
    if (dialog?.id !== order.dialog) {
      if (last === null)
        throw new Refused(`another screen stands there now (${wordsOf(view.screen)}); see \`town questions\``);
      return afterwards(deps, order, signal);
    }
    const offer = dialog.offers.find(({ label }) => label === order.option);
    if (offer === undefined) throw new Refused(`it does not offer ${JSON.stringify(order.option)} any more`);
    const key = nextKey(offer, last);
    if (key !== null) {
      await mustBeFree(deps, found, view);
      await pressKey(deps, found, view.capture, key);
      deps.memory.answered(order.target, clock.now());
      last = offer;
      until = clock.now() + policy.answerProvedMs;
    }
    if (clock.now() >= until) throw new Refused(`the key was pressed, and its dialog still stands; look at its pane`);
    await clock.sleep(policy.enterAfterMs, signal);
  }
}

/** null = the last one has shown no effect yet. */
function nextKey(offer: Offer, last: Offer | null): string | null {
  const [key = null] = offer.keys;
  if (last === null || last.keys.length !== offer.keys.length) return key;
  // A number may only move the pointer to its option.
  return offer.chosen && !last.chosen ? 'Enter' : null;
}

async function mustBeFree(deps: TypingDeps, found: Found, { capture, foreground }: View): Promise<void> {
  if (capture.inMode) throw new Refused('its pane is in copy mode');
  if (capture.synchronized) throw new Refused('its window sends what is typed to all its panes (synchronize-panes)');
  if (foreground.isShell) throw new Refused('an interactive shell is in the foreground');
  const person = await personAt(deps, found.sessionIds);
  if (person !== null) throw new Refused(`${person}; answer it in the pane`);
}

/** Once the program has drawn what follows. */
async function afterwards(deps: TypingDeps, { target }: Answer, signal: AbortSignal): Promise<string> {
  await deps.clock.sleep(deps.policy.enterAfterMs, signal);
  const { view } = await lookAt(deps, target);
  return wordsOf(view.screen);
}

function wordsOf(screen: Screen): string {
  if (asksPerson(screen)) return `it asks: ${screen.what}`;
  if (screen.busy) return 'it works';
  return screen.state === 'unknown' ? 'its screen is not known' : `its screen is ${screen.state.replace('_', ' ')}`;
}
