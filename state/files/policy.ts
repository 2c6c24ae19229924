/** The numbers of what is kept on disk, with unit and reason. Input of the rooms that keep it. */
import type { Ms } from '../../machines/protocol.ts';

export interface StatePolicy {
  /** A save that lasts longer means degraded: no kill, blind time. */
  readonly slowSaveMs: Ms;
  /** Pause between two tries to write when the disk refuses. */
  readonly retrySaveMs: Ms;
  /** Bytes of one record file; a larger one is quarantined unread. */
  readonly maxRecordBytes: number;
  /** Bytes of a record that the town wrote itself: a dance may carry thousands of attached warrants. */
  readonly maxOwnBytes: number;
  /** Characters of a warrant's reason or requester; a longer one is refused, as it would grow every record it is part of. */
  readonly maxWords: number;
  /** A temporary file of ours that is older was left by a crash. */
  readonly staleTmpMs: Ms;
  /** Files of one inbox folder taken in at once. */
  readonly maxFiles: number;
  /** The journal: days and bytes kept. */
  readonly journalDays: number;
  readonly journalBytes: number;
  /** V-3: a report reaches back so far. */
  readonly reportMs: Ms;
  /** P-16: completed dances are kept for this long. */
  readonly completedMs: Ms;
  /** How often closed dances are looked through for old ones. */
  readonly compactEveryMs: Ms;
  /** `up` wants so many bytes of the disk: a start writes some 50,000, and with less room nobody can even say why it failed. */
  readonly startBytes: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const STATE: StatePolicy = {
  slowSaveMs: 5 * SECOND,
  retrySaveMs: 1 * SECOND,
  maxRecordBytes: 1_048_576,
  maxOwnBytes: 67_108_864,
  maxWords: 4_096,
  staleTmpMs: 1 * HOUR,
  maxFiles: 10_000,
  journalDays: 14,
  journalBytes: 200_000_000,
  reportMs: 8 * HOUR, // a night
  completedMs: 7 * 24 * HOUR,
  compactEveryMs: 1 * HOUR,
  startBytes: 262_144,
};
