/**
 * Open episodes: alerts/<episode>.json, one file each, and beside it `.ack` once somebody took note (law 8).
 * 1. Raised again, an episode counts and stays one. It is told when new, and again when nobody took note for long.
 * 2. Told at least once: `told` follows the telling, so a crash between tells again, never not at all.
 * 3. It ends with one recovery: `end` keeps the file until `forget`, so a crash between tells the recovery again.
 */
import { z } from 'zod';
import type { Alert, WallMs } from '../../machines/protocol.ts';
import type { StatePolicy } from '../files/policy.ts';
import { unreadable } from '../files/disk.ts';
import { FOLDERS, nameOf } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { recordKind, recordsIn } from '../files/record-kind.ts';
import { readAt, readFolder, type RecordFolder, type RecordFolderOptions } from '../files/record-folder.ts';

const wall = z.number();
const alertFile = z.strictObject({
  episode: z.string().min(1),
  severity: z.enum(['low', 'medium', 'high', 'critical']),
  session: z.string().nullable(),
  life: z.string().optional(),
  text: z.string(),
  since: wall,
  /** How often it was raised. */
  count: z.int().min(1),
  /** null = nobody was told yet. */
  told_at: wall.nullable(),
  ended_at: wall.nullable(),
  /** How it ended, in words. */
  recovery: z.string().nullable(),
});
type AlertFile = z.infer<typeof alertFile>;
export const ALERTS = recordsIn<AlertFile>(FOLDERS.alerts, 'alert', {
  shape: alertFile,
  idOf: ({ episode }) => episode,
});
const ackFile = z.strictObject({ since: wall, by: z.string().min(1), at: wall });
const ACK = recordKind('ack', { shape: ackFile });

/** Times are wall ms. `acked`: who took note, null = nobody. */
export type Episode = AlertFile & {
  readonly acked: { readonly by: string; readonly at: WallMs } | null;
};

export interface AlertsOptions extends RecordFolderOptions {
  readonly policy: Pick<StatePolicy, 'maxRecordBytes' | 'realertMs'>;
}

const ackPath = (episode: string) => `${FOLDERS.alerts}/${nameOf(episode)}.ack`;

export class Alerts {
  readonly #options: AlertsOptions;
  readonly #shelf: RecordFolder<AlertFile>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AlertsOptions) {
    this.#options = options;
    const { maxRecordBytes: maxBytes } = options.policy;
    this.#shelf = { ...options, ...ALERTS, maxBytes };
  }

  /** Opens an episode, or counts it once more, unless it `stands` in the same words. Resolves with it when a person is to be told now, else with null. */
  raise(alert: Alert, now: WallMs, stands = false): Promise<Episode | null> {
    return this.#inTurn(async () => {
      const before = await this.#read(alert.episode);
      const open = before?.ended_at === null ? before : null;
      if (stands && open?.text === alert.text) return this.#isDue(open, now) ? open : null;
      const episode = await this.#write({
        ...alert,
        since: open?.since ?? now,
        count: (open?.count ?? 0) + 1,
        told_at: open?.told_at ?? null,
        ended_at: null,
        recovery: null,
      });
      return this.#isDue(episode, now) ? episode : null;
    });
  }

  /** A person was told. */
  told(episode: string, now: WallMs): Promise<void> {
    return this.#inTurn(async () => {
      const before = await this.#read(episode);
      if (before !== null) await this.#write({ ...before, told_at: now });
    });
  }

  /** Ends an episode. Resolves with it when its recovery is to be told, with null when it was not open. */
  end(episode: string, text: string, now: WallMs): Promise<Episode | null> {
    return this.#inTurn(async () => {
      const before = await this.#read(episode);
      if (before?.ended_at !== null) return null;
      return this.#write({ ...before, ended_at: now, recovery: text });
    });
  }

  /** The recovery was told: the episode is over. */
  forget(episode: string): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.#read(episode))?.ended_at === null) return;
      await this.#options.disk.remove(ackPath(episode));
      await this.#options.disk.remove(ALERTS.place(episode));
    });
  }

  /** Somebody took note: it is not told again. False = no such episode is open. Safe beside a running town. */
  async ack(episode: string, by: string, now: WallMs): Promise<boolean> {
    const before = await this.#read(episode);
    if (before?.ended_at !== null) return false;
    const text = ACK.text({ since: before.since, by, at: now });
    await writeFiles(this.#options.disk, [{ path: ackPath(episode), text }]);
    return true;
  }

  /** Open episodes, the longest first. */
  async list(): Promise<Episode[]> {
    return (await this.#all()).filter(({ ended_at: ended }) => ended === null);
  }

  /** What is to be told now: open episodes nobody was told of, or took note of for long, and ended ones not yet forgotten. */
  async due(now: WallMs): Promise<Episode[]> {
    return (await this.#all()).filter((episode) => episode.ended_at !== null || this.#isDue(episode, now));
  }

  /** This one, if it is to be told now. */
  async dueOf(name: string, now: WallMs): Promise<Episode | null> {
    const episode = await this.#read(name);
    return episode !== null && (episode.ended_at !== null || this.#isDue(episode, now)) ? episode : null;
  }

  #isDue({ told_at: told, acked }: Episode, now: WallMs): boolean {
    return told === null || (acked === null && now - told >= this.#options.policy.realertMs);
  }

  async #all(): Promise<Episode[]> {
    const leaves = await readFolder(this.#shelf);
    const episodes = await Promise.all(leaves.map(({ value }) => this.#withAck(value)));
    return episodes.sort((a, b) => a.since - b.since || a.episode.localeCompare(b.episode));
  }

  async #read(episode: string): Promise<Episode | null> {
    const leaf = await readAt(this.#shelf, ALERTS.place(episode));
    return leaf && this.#withAck(leaf.value);
  }

  async #withAck(value: AlertFile): Promise<Episode> {
    const text = await this.#ackText(value.episode);
    const ack = text === null ? null : ACK.decode(text, '');
    // An unreadable note, or one of an earlier episode, is none: the person is told again.
    const acked = ack?.ok === true && ack.value.since === value.since ? { by: ack.value.by, at: ack.value.at } : null;
    return { ...value, acked };
  }

  /** What is no plain file in its place is no note, and keeps nobody from the alerts. */
  async #ackText(episode: string): Promise<string | null> {
    const { disk, policy } = this.#options;
    try {
      return await disk.read(ackPath(episode), policy.maxRecordBytes);
    } catch (error) {
      if (unreadable(error) === null) throw error;
      return null;
    }
  }

  async #write(episode: Omit<Episode, 'acked'>): Promise<Episode> {
    const { severity, session, life, text, since, count, told_at, ended_at, recovery } = episode;
    const about = { episode: episode.episode, severity, session, ...(life !== undefined && { life }) };
    const value = { ...about, text, since, count, told_at, ended_at, recovery };
    await writeFiles(this.#options.disk, [ALERTS.sheet(value)]);
    return this.#withAck(value);
  }

  /** One change after the other; an error belongs to its own caller. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
