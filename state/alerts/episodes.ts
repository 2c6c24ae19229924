/**
 * Open episodes: alerts/<episode>.json, one file each, and beside it `.ack` once it is acknowledged (law 8).
 * 1. These are the records of the alerts actor (machines/alerts/machine.ts), which decides what a person hears and
 *    when.
 * 2. An ended episode stays until its end is reported, so that a crash in between reports it again.
 */
import { z } from 'zod';
import { ESCALATED } from '../../machines/hearings/verdict-alerts.ts';
import { aboutOf } from '../../machines/protocol/episode.ts';
import { episodeIn, type Acked, type Episode as Recorded, type WallMs } from '../../machines/protocol.ts';
import { STATE } from '../files/policy.ts';
import { readIfReadable } from '../files/disk.ts';
import { FOLDERS, nameOf } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { recordKind, recordsIn } from '../files/record-kind.ts';
import { readAt, readFolder, type RecordFolder, type RecordFolderOptions } from '../files/record-folder.ts';

const wall = z.number();
const alertFile = z.strictObject({
  episode: z.string().min(1).transform(episodeIn),
  severity: z.enum(['low', 'medium', 'high', 'critical']),
  session: z.string().nullable(),
  life: z.string().optional(),
  question: z.string().optional(),
  text: z.string(),
  since: wall,
  count: z.int().min(1),
  climbs: z.int().min(1).optional(),
  told_at: wall.nullable(),
  ended_at: wall.nullable(),
  recovery: z.string().nullable(),
});
export const ALERTS = recordsIn<Recorded>(FOLDERS.alerts, 'alert', {
  shape: alertFile,
  idOf: ({ episode }) => episode,
  write: ({ episode, severity, session, life, question, text, since, count, climbs, told_at, ended_at, recovery }) => ({
    episode,
    severity,
    session,
    ...(life !== undefined && { life }),
    ...(question !== undefined && { question }),
    text,
    since,
    count,
    ...(climbs !== undefined && { climbs }),
    told_at,
    ended_at,
    recovery,
  }),
});
const ackFile = z.strictObject({ since: wall, by: z.string().min(1), at: wall });
export const ACK = recordKind<Acked>('ack', { shape: ackFile, maxBytes: STATE.maxRecordBytes });

/** `acked`: who acknowledged it; null = not acknowledged. */
export type Episode = Recorded & { readonly acked: Acked | null };

/** Who acknowledged a hearing that was left to a person: by deciding it, or by having seen it. */
export const HEARING_ACK = { decided: 'operator, by a decision', seen: 'operator, by town ack' } as const;
/** An older town wrote this for both. */
const EITHER = 'operator';

export const isHearing = (episode: string): boolean => aboutOf(episode).kind === ESCALATED.kind;

/** A hearing that a person decided is no question any more. */
export const isDecided = ({ episode, acked }: Pick<Episode, 'episode' | 'acked'>): boolean =>
  acked !== null && isHearing(episode) && (acked.by === HEARING_ACK.decided || acked.by === EITHER);

export const ackPath = (episode: string): string => `${FOLDERS.alerts}/${nameOf(episode)}.ack`;

export class Alerts {
  readonly #options: RecordFolderOptions;
  readonly #folder: RecordFolder<Recorded>;

  constructor(options: RecordFolderOptions) {
    this.#options = options;
    this.#folder = { ...options, ...ALERTS };
  }

  /** Acknowledges an episode: it is not repeated. A decision stays. False = no such episode is open. Safe beside a running town. */
  async ack(episode: string, by: string, now: WallMs): Promise<boolean> {
    const before = (await readAt(this.#folder, ALERTS.place(episode)))?.value;
    if (before?.ended_at !== null) return false;
    if (isDecided(await this.#withAck(before))) return true;
    const text = ACK.text({ since: before.since, by, at: now });
    await writeFiles(this.#options.disk, [{ path: ackPath(episode), text }]);
    return true;
  }

  /** Open episodes, the longest first. */
  async list(): Promise<Episode[]> {
    return (await this.all()).filter(({ ended_at: ended }) => ended === null);
  }

  /** Also those whose end was not told yet. */
  async all(): Promise<Episode[]> {
    const leaves = await readFolder(this.#folder);
    const episodes = await Promise.all(leaves.map(({ value }) => this.#withAck(value)));
    return episodes.sort((a, b) => a.since - b.since || a.episode.localeCompare(b.episode));
  }

  async #withAck(value: Recorded): Promise<Episode> {
    const text = await readIfReadable(this.#options.disk, ackPath(value.episode), ACK.maxBytes);
    const ack = text === null ? null : ACK.decode(text, '');
    // What is no plain file, an unreadable note, or one of an earlier episode, is none: the person is told again.
    return { ...value, acked: ack?.ok === true && ack.value.since === value.since ? ack.value : null };
  }
}
