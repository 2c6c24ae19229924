/** The numbers of what is kept on disk, with unit and reason. Input of the rooms that keep it. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const STATE = {
  /** A save that lasts longer means degraded: no kill, blind time. */
  slowSaveMs: 5 * SECOND,
  /** Pause between two tries to write when the disk refuses. */
  retrySaveMs: 1 * SECOND,
  /** Bytes of one record file; a larger one is quarantined unread. */
  maxRecordBytes: 1_048_576,
  /** Bytes of a record that the town wrote itself: a dance may carry thousands of attached warrants. */
  maxOwnBytes: 67_108_864,
  /** Characters of a warrant's reason or requester; a longer one is refused, as it would grow every record it is part of. */
  maxChars: 4_096,
  /** A temporary file of ours that is older was left by a crash. */
  staleTmpMs: 1 * HOUR,
  /** Files of one inbox folder taken in at once. */
  maxFiles: 10_000,
  /** The journal, and by themselves the letters in archives: days and bytes kept. */
  journalDays: 14,
  journalBytes: 200_000_000,
  /** V-3: a report reaches back so far. */
  reportMs: 8 * HOUR, // a night
  /** P-16: completed dances are kept for this long. */
  completedMs: 7 * 24 * HOUR,
  /** How often closed dances are looked through for old ones. */
  compactEveryMs: 1 * HOUR,
  /**
   * `up` wants so many bytes of the disk: a start writes some 50,000, and with less room it could not even log why it
   * failed.
   */
  startBytes: 262_144,
};
export type StatePolicy = Readonly<typeof STATE>;
