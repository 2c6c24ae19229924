/** Lives that a person answered from afar: what each asks next is awaited, and told without the usual while (law 8). */
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { Instant } from '../../machines/protocol.ts';

export class AnsweredFromAfar {
  readonly #at = new Map<string, Instant>();

  note(uuid: string, at: Instant): void {
    for (const [one, before] of this.#at) if (at - before >= ANSWERS.nextMs) this.#at.delete(one);
    this.#at.set(uuid, at);
  }

  /** `since`: when this life began to ask what it asks now. */
  isAwaited(uuid: string, since: Instant): boolean {
    const at = this.#at.get(uuid);
    return at !== undefined && since >= at && since - at < ANSWERS.nextMs;
  }
}
