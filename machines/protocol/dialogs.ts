/** The answer to a dialog: the order, and what came of it. */
import type { Incarnation } from './identity.ts';

/** Chooses the option of this label, if the dialog of this id still stands there. */
export interface AnswerDialog {
  readonly type: 'answerDialog';
  readonly target: Incarnation;
  readonly dialog: string;
  readonly option: string;
  /** The person's own words, behind an option that takes them. */
  readonly text?: string;
}

export type DialogOutcome =
  /** `then`: what its screen shows since, as the end of a sentence. */
  | { readonly type: 'DIALOG_ANSWERED'; readonly option: string; readonly then: string }
  /** `given`: the answer may have reached its program. `exit`: 3 = it was over, 5 = another stands there. */
  | { readonly type: 'DIALOG_NOT_ANSWERED'; readonly why: string; readonly given: boolean; readonly exit?: 3 | 5 };
