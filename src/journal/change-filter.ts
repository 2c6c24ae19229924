/** The last line about each thing, so that a change is written and a repetition is not. */

/** Things that are remembered at most. */
const MAX_THINGS = 5_000;

/** What is known of each thing, of so many of late: the oldest is forgotten. */
export class Latest<Value> extends Map<string, Value> {
  override set(thing: string, value: Value): this {
    this.delete(thing); // to the end
    super.set(thing, value);
    const oldest = this.size > MAX_THINGS ? this.keys().next() : null;
    if (oldest && !oldest.done) this.delete(oldest.value);
    return this;
  }
}

export class ChangeFilter {
  readonly #last = new Latest<string>();

  /** What was reported before this process. What it saw itself since stands. */
  knows(thing: string, text: string): void {
    if (!this.#last.has(thing)) this.#last.set(thing, text);
  }

  /** True when this text is a new one of this thing. */
  isNew(thing: string, text: string): boolean {
    if (this.#last.get(thing) === text) return false;
    this.#last.set(thing, text);
    return true;
  }
}
