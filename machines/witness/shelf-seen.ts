/** What a witness sees of the letters that it left for later (P-2). */

/** Letters that the witness does not look at in this cycle, and what each sender used of its budget. */
export interface ShelfSeen {
  /** Of no kind that a witness knows: how many were put aside. */
  readonly aside: number;
  /** Over their senders' budgets: how many wait. */
  readonly later: number;
  /** How many letters of each sender were handled in this hour. */
  readonly handled: ReadonlyMap<string, number>;
}
