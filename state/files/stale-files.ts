/**
 * Files of records that are written in another place by now, and are to be removed. The new file is durable before the stale
 * one is removed, so what cannot be removed now is removed later: a reader who finds both takes the new one.
 */
type Removal = () => Promise<void>;

export class StaleFiles {
  readonly #most: number;
  #due: Removal[] = [];

  /** Those above `most` that the disk refuses for long wait for the next start. */
  constructor(most: number) {
    this.#most = most;
  }

  add(remove: Removal): void {
    this.#due.push(remove);
  }

  /** Removes all that the disk lets go. Rejects never. */
  async removeAll(): Promise<void> {
    const due = this.#due.splice(0);
    for (const remove of due.slice(-this.#most)) {
      try {
        await remove();
      } catch {
        // The next commit tries again, and rejects if the disk refuses that too.
        this.#due.push(remove);
      }
    }
  }
}
