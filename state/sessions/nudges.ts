/**
 * What the town typed to a session's life besides the questions of a hearing: nudges/<session>.json. The record keeps the pace of law 5 across
 * restarts, and tells a hearing which words on a screen are the town's own (D-3). Only the town writes here.
 */
import { z } from 'zod';
import type { Incarnation, WallMs } from '../../machines/protocol.ts';
import { FOLDERS } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { readAt, type RecordFolderOptions } from '../files/record-folder.ts';
import { recordsIn } from '../files/record-kind.ts';

/** What was typed to one life. Times are wall ms. */
const nudgeFile = z
  .strictObject({
    session: z.string().min(1),
    uuid: z.string().min(1),
    /** The last nudge; null = there was none. */
    at: z.number().nullable(),
    from: z.string().min(1).nullable(),
    /** Its last Enter was pressed; else it may have been. Absent: a version wrote it that did not tell. */
    sure: z.boolean().default(true),
    /** The last health check; null = there was none. */
    checked_at: z.number().nullable().default(null),
    /** Of both, the newest last; one that was typed twice stands there twice. */
    texts: z.array(z.string()),
    /** Of these texts the work that its program was given without a key, or may have been, the newest last. */
    given: z.array(z.strictObject({ id: z.string(), text: z.string() })).default([]),
    /** The last key for an option of a dialog that was not seen to go since; null = there is none. */
    pressed: z
      .strictObject({
        dialog: z.string(),
        option: z.string(),
        at: z.number(),
        /** tmux pressed it; else it may have. */
        sure: z.boolean().default(false),
        /** Of the pane by then, as `100x30`; null = unknown. */
        size: z.string().nullable().default(null),
      })
      .nullable()
      .default(null),
  })
  .transform(({ checked_at: checkedAt, ...file }) => ({ ...file, checkedAt }));
export type Nudged = Readonly<z.infer<typeof nudgeFile>>;

type Life = Pick<Incarnation, 'session' | 'uuid'>;

export const NUDGES = recordsIn<Nudged>(FOLDERS.nudges, 'nudge', {
  shape: nudgeFile,
  write: ({ checkedAt, ...file }) => ({ ...file, checked_at: checkedAt }),
  idOf: ({ session }) => session,
});

export class Nudges {
  readonly #options: RecordFolderOptions;
  /** By session; as the disk has it. */
  readonly #known = new Map<string, Nudged | null>();

  constructor(options: RecordFolderOptions) {
    this.#options = options;
  }

  /** null = this life was never nudged. Rejects when the disk cannot tell. */
  async of({ session, uuid }: Life): Promise<Nudged | null> {
    let known = this.#known.get(session);
    if (known === undefined) {
      known = (await readAt({ ...this.#options, ...NUDGES }, NUDGES.place(session)))?.value ?? null;
      this.#known.set(session, known);
    }
    return known?.uuid === uuid ? known : null;
  }

  /**
   * Durable when it resolves: before the first key. Of older texts of this life the last `kept` - 1 stay. `isTyped`: an earlier
   * try typed it, and it stands there unsent.
   */
  add(
    life: Life,
    { text, isTyped, ...nudge }: { at: WallMs; from: string; text: string; isTyped: boolean },
    kept: number,
  ): Promise<void> {
    return this.#write(life, isTyped ? null : text, { ...nudge, sure: false }, kept);
  }

  /** The last nudge was typed, with its Enter. */
  async confirm(life: Life, kept: number): Promise<void> {
    await this.#write(life, null, { sure: true }, kept);
  }

  /** As `add`, of work, which keeps no nudge away. */
  addWork(life: Life, { text, isTyped }: { text: string; isTyped: boolean }, kept: number): Promise<void> {
    return this.#write(life, isTyped ? null : text, {}, kept);
  }

  /** As `addWork`, before its program is given the work of this id without a key. */
  async addGiven(life: Life, work: { id: string; text: string }, kept: number): Promise<void> {
    const given = [...((await this.of(life))?.given ?? []), work].slice(-kept);
    await this.#write(life, work.text, { given }, kept);
  }

  /** Its program surely did not take it. */
  async takeGivenBack(life: Life, id: string, kept: number): Promise<void> {
    const before = (await this.of(life))?.given ?? [];
    await this.#write(life, null, { given: before.filter((one) => one.id !== id) }, kept);
  }

  /** As `add`, of a health check. */
  addCheck(life: Life, { at, text }: { at: WallMs; text: string }, kept: number): Promise<void> {
    return this.#write(life, text, { checkedAt: at }, kept);
  }

  /** As `add`, of a key for an option of a dialog. null = that dialog was seen to go. */
  async setPressed(life: Life, pressed: Nudged['pressed'], kept: number): Promise<void> {
    await this.#write(life, null, { pressed }, kept);
  }

  async #write(life: Life, text: string | null, last: Partial<Nudged>, kept: number): Promise<void> {
    const { session, uuid } = life;
    const before = await this.of(life);
    const texts = [...(before?.texts ?? []), ...(text === null ? [] : [text])].slice(-kept);
    const value: Nudged = {
      at: null,
      from: null,
      sure: true,
      checkedAt: null,
      given: [],
      pressed: null,
      ...before,
      ...last,
      session,
      uuid,
      texts,
    };
    await writeFiles(this.#options.disk, [NUDGES.fileOf(value)]);
    this.#known.set(session, value);
  }
}
