/** A question that waits for a person, as every list of them has it. */
import type { Dialog } from '../../screen/dialog.ts';

/** A word that `town answer` takes, and what comes of it. */
export interface Option {
  readonly word: string;
  readonly does: string;
  /** It means nothing without a text behind it. */
  readonly needsText?: boolean;
  /** It gives more than the question shows: chosen at the terminal alone. */
  readonly isForDesk?: boolean;
  /** It ends an agent, or outlasts its question: no channel offers it unless `[[may_answer]]` names its very word. */
  readonly isGrave?: true;
  /** Of a dialog: the label that it stands for. */
  readonly label?: string;
}

export interface PersonsQuestion {
  /** The last digits of its number that no other question ends with; its id where it has none. */
  readonly number: string;
  readonly kind: 'alert' | 'dialog' | 'letter' | 'case' | 'escalation' | 'gate';
  /** Of an alert its episode and its beginning, of a dialog the name that it got first, else the id of the letter or bead. */
  readonly id: string;
  /** Of a dialog what else means this very one. */
  readonly names: readonly string[];
  /** The session that it is about; null = none. */
  readonly session: string | null;
  /** ISO. */
  readonly since: string;
  readonly text: string;
  readonly options: readonly Option[];
  /** Command lines that show more of it, or mend its cause; the likeliest first. */
  readonly type: readonly string[];
  /** Episodes of the alerts that tell of it. */
  readonly alerts: readonly string[];
  /** What it is about, beside its text; empty = its text is all, or its dialog shows it. */
  readonly body: string;
  /** A person has seen it, and its cause goes on. */
  readonly isAcked: boolean;
  /** A letter that was read: it left the list, and can still be answered. */
  readonly isRead?: true;
  /** It is an alert about a dialog that cannot be read now. */
  readonly isUnseen?: true;
  /** Of a dialog: its id as it is answered now, its words, its rows, the labels that only a person at its pane chooses, and the alert about it. */
  readonly dialog?: Pick<Dialog, 'id' | 'question' | 'shows' | 'withheld' | 'way' | 'expiresAt'> & {
    /** What answers it: `rule 1 of town.toml: yes`; null = no rule does. */
    readonly rule: string | null;
    /** Why the rule that fits does not: `rule 1 of town.toml: a person may be in its pane`; null = it does, or none fits. */
    readonly unruled: string | null;
  };
}
export type Unnumbered = Omit<PersonsQuestion, 'number'>;
