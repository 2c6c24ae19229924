/**
 * What the town typed to a session's life besides questions: nudges/<session>.json. The record keeps the pace of law 5 across
 * restarts, and tells a hearing which words on a screen are the town's own (D-3). Only the town writes here.
 */
import { z } from 'zod';
import type { Incarnation, WallMs } from '../machines/protocol.ts';
import type { StatePolicy } from '../machines/policy.ts';
import { decode } from './decode.ts';
import { FOLDERS, nameOf, paths } from './layout.ts';
import { put } from './paper.ts';
import { seal } from './seal.ts';
import { readLeaf, type Shelf, type ShelfOptions } from './shelf.ts';

const nudgeFile = z.strictObject({
  schema: z.literal('nudge/1'),
  session: z.string().min(1),
  uuid: z.string().min(1),
  /** The last one. */
  at: z.number(),
  from: z.string().min(1),
  /** The newest last. */
  texts: z.array(z.string()),
});
/** The nudges of one life; `at` (wall ms) and `from` are of the last one. */
export type Nudged = Omit<z.infer<typeof nudgeFile>, 'schema'>;

type Life = Pick<Incarnation, 'session' | 'uuid'>;

export interface NudgesOptions extends ShelfOptions {
  readonly policy: Pick<StatePolicy, 'mostRecordBytes'>;
}

export class Nudges {
  readonly #options: NudgesOptions;
  readonly #shelf: Shelf<Nudged>;
  /** By session; as the disk has it. */
  readonly #known = new Map<string, Nudged | null>();

  constructor(options: NudgesOptions) {
    this.#options = options;
    this.#shelf = {
      ...options,
      folder: FOLDERS.nudges,
      mostBytes: options.policy.mostRecordBytes,
      decode: (text, name) => {
        const decoded = decode(text, 'nudge', nudgeFile);
        if (!decoded.ok || `${nameOf(decoded.value.session)}.json` === name) return decoded;
        return { ok: false, what: 'bad', why: `it holds the session "${decoded.value.session}"`, requester: null };
      },
    };
  }

  /** null = this life was never nudged. Rejects when the disk cannot tell. */
  async of({ session, uuid }: Life): Promise<Nudged | null> {
    let known = this.#known.get(session);
    if (known === undefined) {
      known = (await readLeaf(this.#shelf, `${nameOf(session)}.json`))?.value ?? null;
      this.#known.set(session, known);
    }
    return known?.uuid === uuid ? known : null;
  }

  /** Durable when it resolves: before the first key. Of older texts of this life the last `kept` - 1 stay. */
  async add(life: Life, nudge: { at: WallMs; from: string; text: string }, kept: number): Promise<void> {
    const before = (await this.of(life))?.texts ?? [];
    const texts = [...before.filter((text) => text !== nudge.text), nudge.text].slice(-kept);
    const value: Nudged = { session: life.session, uuid: life.uuid, at: nudge.at, from: nudge.from, texts };
    await put(this.#options.disk, [{ path: paths.nudge(life.session), text: seal({ schema: 'nudge/1', ...value }) }]);
    this.#known.set(life.session, value);
  }
}
