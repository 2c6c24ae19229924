/** The work that a polecat was started for, and that is on its hook no more. */
export interface FormerWork {
  readonly bead: string;
  /**
   * `done`: it closed the bead itself. `aside`: a person set it aside meanwhile. Where it says that it is done, that work is handed over
   * all the same. `other`: another word than its own closed it, or gave it to others: nothing of it is merged.
   */
  readonly is: 'done' | 'aside' | 'other';
  /** For people: what became of the bead. */
  readonly text: string;
  /** What a person types to have it merged as it was left; empty = it left nothing to merge. */
  readonly again: string;
}
