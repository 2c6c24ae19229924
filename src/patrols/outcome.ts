/** What came of an act of a witness. Types only. */
import type { CycleAct } from '../../machines/witness/cycle.ts';

/** `done`: false = it was not done, and `text` says why. */
export interface ActOutcome {
  readonly act: CycleAct['act'];
  readonly about: string;
  readonly done: boolean;
  readonly text: string;
}
