/** Work that must not overlap. */

/** One after the other, in any order; an error belongs to its own caller. */
export class Serial {
  #turn: Promise<void> | null = null;

  async take<T>(work: () => Promise<T>): Promise<T> {
    while (this.#turn !== null) await this.#turn;
    const result = work();
    const turn = result.then(
      () => undefined,
      () => undefined,
    );
    this.#turn = turn;
    try {
      return await result;
    } finally {
      this.#turn = null;
    }
  }
}
