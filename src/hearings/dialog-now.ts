/** The dialog that stands before a person at this moment, as the hand that answers it sees it. Looks only. */
import type { Incarnation } from '../../machines/protocol.ts';
import { dialogOn, onlyNamed, type Dialog, type DialogOnScreen } from '../screen/dialog.ts';
import { dialogOf, type Asked } from '../sources/question.ts';
import type { Sources } from '../sources/sources.ts';
import type { TypingDeps } from './pace.ts';
import { findPane, type FoundPane } from './pane.ts';
import { viewOf, type View } from './view.ts';

export interface AnswerDeps extends TypingDeps {
  readonly sources: Pick<Sources, 'of'>;
  /** Words of options that the configuration names, for the terminal or for any channel: an answer is no other's. */
  readonly named: readonly string[];
}

/** Why nothing, or nothing more, is pressed; thrown inside, a value outside. */
export class Refused extends Error {
  /** 3: that question is over; 5: another one stands there. */
  readonly exit: 3 | 5 | undefined;

  constructor(why: string, exit?: 3 | 5) {
    super(why);
    this.exit = exit;
  }
}

/** null = it asks nothing; undefined = it does not tell, or not yet what it asks. */
export async function askedBy({ sources, named }: AnswerDeps, target: Incarnation): Promise<Asked | null | undefined> {
  const heard = (await sources.of([target])).get(target.uuid);
  if (heard?.asked) return onlyNamed(heard.asked, named);
  return heard === undefined || heard.isSilent || heard.word?.state === 'asks' ? undefined : null;
}

export interface Standing {
  readonly found: FoundPane;
  readonly view: View;
  /** null = none that could be answered. */
  readonly dialog: DialogOnScreen | null;
}

export async function lookAt(deps: AnswerDeps, target: Incarnation): Promise<Standing> {
  const found = await findPane(deps, target);
  if (found.kind !== 'found') throw new Refused('what' in found ? found.what : 'why' in found ? found.why : GONE);
  const view = await viewOf(deps, target, found, { from: (historySize) => historySize });
  const picture = { rows: view.capture.screen, width: view.capture.width };
  const dialog = dialogOn({ pack: view.pack, screen: view.screen, picture }, target.uuid);
  return { found, view, dialog: dialog && onlyNamed(dialog, deps.named) };
}
const GONE = 'its agent is gone';

/** `mark`: as in `Asked`, its id where it has none. */
export type DialogNow = DialogOnScreen | (Dialog & { readonly mark: string });

/** null = none whose options may be chosen from elsewhere. Rejects where that cannot be seen. */
export async function dialogNow(deps: AnswerDeps, target: Incarnation): Promise<DialogNow | null> {
  if (deps.isProtected(target.session)) return null;
  const asked = await askedBy(deps, target);
  if (asked) return { ...dialogOf(asked, target.uuid), mark: asked.mark ?? asked.id };
  return (await lookAt(deps, target)).dialog;
}
