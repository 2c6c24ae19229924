/** What was told last about each thing, so that a change is told and a repetition is not. Bounded: the oldest is forgotten. */

/** Things whose last place is remembered at most. */
const MAX_PLACES = 5_000;

/** The last text told about a thing; true when it is a new one. */
export class ChangeFilter {
  readonly #last = new Map<string, string>();

  isNew(thing: string, text: string): boolean {
    if (this.#last.get(thing) === text) return false;
    this.#last.delete(thing); // to the end: the oldest is forgotten first
    this.#last.set(thing, text);
    const oldest = this.#last.size > MAX_PLACES ? this.#last.keys().next() : null;
    if (oldest && !oldest.done) this.#last.delete(oldest.value);
    return true;
  }
}
