/**
 * Places that records have left for good. Records are durable before their old places go, so what cannot be left now is left
 * later: a leftover is known by its new place.
 */
type Leave = () => Promise<void>;

export class OldPlaces {
  readonly #most: number;
  #leaving: Leave[] = [];

  /** Those above `most` that the disk refuses for long are left to the next start. */
  constructor(most: number) {
    this.#most = most;
  }

  add(leave: Leave): void {
    this.#leaving.push(leave);
  }

  /** Leaves all that can be left. Rejects never. */
  async leave(): Promise<void> {
    const due = this.#leaving.splice(0);
    for (const leave of due.slice(-this.#most)) {
      try {
        await leave();
      } catch {
        // The next commit tries again, and rejects if the disk refuses that too.
        this.#leaving.push(leave);
      }
    }
  }
}
