/**
 * What a process of the town knows of itself: whether its disk, its configuration and its tmux socket are as they should be.
 * Told as levels (law 8): what stands is compared with what is open, when it changes and again with each reminder, so that
 * neither a crash nor a disk that refuses leaves an episode open, or closed.
 */
import { CONDITIONS, type Condition } from '../../machines/alerts/things.ts';
import type { Office } from './office.ts';

export class Conditions {
  readonly #office: Pick<Office, 'stands' | 'isOver'>;
  /** Why each is not as it should be; null = it is. What is not in it yet is not known. */
  readonly #known = new Map<Condition, string | null>();
  /** As what is open was found or made last. */
  readonly #settled = new Map<Condition, string | null>();

  constructor(office: Pick<Office, 'stands' | 'isOver'>) {
    this.#office = office;
  }

  /** What was found. Never rejects. */
  set(what: Condition, why: string | null): Promise<void> {
    this.#known.set(what, why);
    return this.#settle(what);
  }

  /** Tries again what could not be recorded. Never rejects. */
  async settle(): Promise<void> {
    for (const what of this.#known.keys()) await this.#settle(what);
  }

  async #settle(what: Condition): Promise<void> {
    const why = this.#known.get(what) ?? null;
    if (this.#settled.get(what) === why) return;
    const declared = CONDITIONS.find(({ kind }) => kind === what);
    if (declared === undefined) return;
    const { severity, text, over } = declared;
    const isDone =
      why === null
        ? await this.#office.isOver(what, over)
        : await this.#office.stands({ episode: what, severity, session: null, text: text(why) });
    if (isDone && this.#known.get(what) === why) this.#settled.set(what, why);
    else this.#settled.delete(what);
  }
}
