/**
 * A question that a program holds open and takes an answer to by its own id: no key is pressed for it, and an answer to one that is
 * over changes nothing.
 */
import { dialogId, type Dialog, type Offered } from '../screen/dialog.ts';

/** `taken`: by the program. `over`: it was answered before, or taken back. `unknown`: the program did not say. */
export type Taken = 'taken' | 'over' | 'unknown';

export interface Asked {
  /** The program's own. */
  readonly id: string;
  readonly kind: Dialog['kind'];
  readonly question: string;
  /** What it is about, line by line. */
  readonly shows: readonly string[];
  /** What gives this one answer, and no more. */
  readonly offers: readonly Offered[];
  /** Labels that only a person at its pane chooses. */
  readonly withheld: readonly string[];
  /** `label`: of one of `offers`. Never rejects. */
  readonly answer: (label: string) => Promise<Taken>;
}

/** As a person far from its pane sees it. `life`: its uuid. */
export function dialogOf({ id, kind, question, shows, offers, withheld }: Asked, life: string): Dialog {
  return { id: dialogId('request', [life, id]), way: 'request', kind, question, shows, offers, withheld };
}
