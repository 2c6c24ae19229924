/**
 * Which conversation the program of each life is in. It counts once two looks saw it name the same one: at its start it may name another
 * for a moment. The one of the life before in that session counts at once: the town started the program to go on with it.
 */
import type { Incarnation } from '../../machines/protocol.ts';
import type { Heard } from '../sources/port.ts';

/** Sessions of which a conversation is remembered; the oldest are forgotten, which costs a look. */
const MAX_SESSIONS = 1_000;

interface Named {
  readonly id: string;
  readonly isSure: boolean;
}

export class Conversations {
  /** By the uuid of a life. */
  #named: ReadonlyMap<string, Named> = new Map();
  /** What counted last, by session. */
  readonly #last = new Map<string, string>();

  /** undefined = it does not say. */
  of(uuid: string): string | undefined {
    const named = this.#named.get(uuid);
    return named?.isSure === true ? named.id : undefined;
  }

  /** Lives that are missing are forgotten. */
  note(lives: readonly Incarnation[], heard: ReadonlyMap<string, Pick<Heard, 'conversation'>>): void {
    const before = this.#named;
    this.#named = new Map(
      lives.flatMap(({ uuid, session }) => {
        const id = heard.get(uuid)?.conversation ?? null;
        if (id === null) return [];
        const isSure = before.get(uuid)?.id === id || this.#last.get(session) === id;
        if (isSure) this.#remember(session, id);
        return [[uuid, { id, isSure }] as const];
      }),
    );
  }

  #remember(session: string, id: string): void {
    this.#last.delete(session);
    this.#last.set(session, id);
    const [oldest = ''] = this.#last.keys();
    if (this.#last.size > MAX_SESSIONS) this.#last.delete(oldest);
  }
}
