/** Work that must not overlap: one after the other, in the order in which it came; an error belongs to its own caller. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    // The next one waits for it, even if it fails.
    this.#last = result.catch(() => undefined);
    return result;
  }
}
