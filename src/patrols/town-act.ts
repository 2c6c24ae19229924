/** An act of the Deacon's patrol, and what came of it. Types only. */

/** `done`: false = it was not done, and `text` says why. */
export interface TownAct {
  readonly act: 'escalate' | 'open' | 'land' | 'climb' | 'end' | 'pass' | 'unhook' | 'orphan' | 'compact' | 'plugin';
  readonly about: string;
  readonly done: boolean;
  readonly text: string;
}
