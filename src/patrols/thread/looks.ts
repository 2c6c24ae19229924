/**
 * One look for all rounds that begin together, and never the same one twice for one of them: what has to be seen twice is looked at
 * twice. A look from before a session began shows it as missing, and its work would be taken from it: once a record of a session has
 * changed, the next round looks anew.
 */
import { stat } from 'node:fs/promises';
import type { Ms } from '../../../machines/protocol.ts';

export interface LooksNeeds<Seen> {
  readonly look: () => Promise<Seen>;
  /** Another one once a record of a session has changed. Never rejects. */
  readonly mark: () => Promise<string>;
  readonly freshMs: Ms;
  readonly now?: () => Ms;
}

interface Look<Seen> {
  readonly at: Ms;
  readonly mark: string;
  readonly seen: Promise<Seen>;
  readonly by: Set<string>;
}

export class Looks<Seen> {
  readonly #needs: LooksNeeds<Seen>;
  readonly #now: () => Ms;
  #last: Look<Seen> | null = null;

  constructor(needs: LooksNeeds<Seen>) {
    this.#needs = needs;
    this.#now = needs.now ?? (() => performance.now());
  }

  /** What one round sees, from its first question on. `by`: whose patrol it is. */
  round(by: string): () => Promise<Seen> {
    let seen: Promise<Seen> | null = null;
    return () => (seen ??= this.#of(by));
  }

  async #of(by: string): Promise<Seen> {
    // Before the look: what changes meanwhile is another mark to the next round.
    const mark = await this.#needs.mark();
    const at = this.#now();
    const last = this.#last;
    const isShared = last !== null && last.mark === mark && at - last.at <= this.#needs.freshMs && !last.by.has(by);
    const look = isShared ? last : { at, mark, seen: this.#needs.look(), by: new Set<string>() };
    look.by.add(by);
    this.#last = look;
    return look.seen;
  }
}

/** Differs once a file of this folder was made, replaced or removed; empty = there is no such folder. Never rejects. */
export const changeOf = async (folder: string): Promise<string> =>
  stat(folder, { bigint: true }).then(
    ({ mtimeNs }) => String(mtimeNs),
    () => '',
  );
