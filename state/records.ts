/** The records that a step may change, and the folders of those that decide something: where each goes, and how it is read. */
import type { StatePolicy } from './files/policy.ts';
import type { Dance, SavedRecord, SessionRecord } from '../machines/protocol.ts';
import { ackPath, ALERTS } from './alerts/episodes.ts';
import { danceSheet, decodeDance } from './hearings/dances.ts';
import type { Disk } from './files/disk.ts';
import { FOLDERS } from './files/layout.ts';
import type { Quarantine } from './files/quarantine.ts';
import { ANSWER, type AnswerFile } from './hearings/schemas.ts';
import { PATROLS } from './patrols/records.ts';
import { SESSIONS } from './sessions/records.ts';
import { noteSheet } from './watchdog/records.ts';
import type { RecordFolder } from './files/record-folder.ts';

export interface RecordFolders {
  readonly quarantine: Quarantine;
  readonly sessions: RecordFolder<SessionRecord>;
  readonly answers: RecordFolder<AnswerFile>;
  readonly active: RecordFolder<Dance>;
  readonly completed: RecordFolder<Dance>;
}

export function recordFoldersOf(disk: Disk, quarantine: Quarantine, policy: StatePolicy): RecordFolders {
  const own = { disk, quarantine, maxBytes: policy.maxOwnBytes };
  return {
    quarantine,
    sessions: { ...own, ...SESSIONS },
    active: { ...own, folder: FOLDERS.active, decode: (text, name) => decodeDance(text, name, false) },
    completed: { ...own, folder: FOLDERS.completed, decode: (text, name) => decodeDance(text, name, true) },
    // Any process may write these.
    answers: { ...own, ...ANSWER, folder: FOLDERS.answers, maxBytes: policy.maxRecordBytes },
  };
}

/** Without a text the file is to go. */
interface Sheet {
  readonly path: string;
  readonly text: string | null;
}
type Record<Kind extends SavedRecord['kind']> = Extract<SavedRecord, { readonly kind: Kind }>;

const SHEETS: { readonly [Kind in SavedRecord['kind']]: (record: Record<Kind>) => Sheet } = {
  dance: ({ value }) => danceSheet(value),
  session: ({ value }) => SESSIONS.sheet(value),
  forgotten: ({ id }) => ({ path: SESSIONS.place(id), text: null }),
  alert: ({ id, value }) => (value === null ? { path: ALERTS.place(id), text: null } : ALERTS.sheet(value)),
  ack: ({ id }) => ({ path: ackPath(id), text: null }),
  patrol: ({ value }) => PATROLS.sheet(value),
  note: noteSheet,
};

export const sheetOf = (record: SavedRecord): Sheet => (SHEETS[record.kind] as (record: SavedRecord) => Sheet)(record);
