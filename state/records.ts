/** The records that a step may change, and the folders of those that decide something: where each goes, and how it is read. */
import type { Dance, SavedRecord, SessionRecord } from '../machines/protocol.ts';
import { ackPath, ALERTS } from './alerts/episodes.ts';
import { DANCE, danceFileOf, decodeDance } from './hearings/dances.ts';
import type { Disk } from './files/disk.ts';
import { FOLDERS } from './files/layout.ts';
import type { Quarantine } from './files/quarantine.ts';
import { ANSWER, type AnswerFile } from './hearings/schemas.ts';
import { PATROLS } from './patrols/records.ts';
import { SESSIONS } from './sessions/records.ts';
import { noteFileOf } from './watchdog/records.ts';
import type { RecordFolder } from './files/record-folder.ts';

export interface RecordFolders {
  readonly quarantine: Quarantine;
  readonly sessions: RecordFolder<SessionRecord>;
  readonly answers: RecordFolder<AnswerFile>;
  readonly active: RecordFolder<Dance>;
  readonly completed: RecordFolder<Dance>;
}

export function recordFoldersOf(disk: Disk, quarantine: Quarantine): RecordFolders {
  const files = { disk, quarantine };
  return {
    quarantine,
    sessions: { ...files, ...SESSIONS },
    active: { ...files, ...DANCE, folder: FOLDERS.active, decode: (text, name) => decodeDance(text, name, false) },
    completed: { ...files, ...DANCE, folder: FOLDERS.completed, decode: (text, name) => decodeDance(text, name, true) },
    answers: { ...files, ...ANSWER, folder: FOLDERS.answers },
  };
}

/** Without a text the file is to go. */
interface RecordFile {
  readonly path: string;
  readonly text: string | null;
}
type Record<Kind extends SavedRecord['kind']> = Extract<SavedRecord, { readonly kind: Kind }>;

const FILES_OF: { readonly [Kind in SavedRecord['kind']]: (record: Record<Kind>) => RecordFile } = {
  dance: ({ value }) => danceFileOf(value),
  session: ({ value }) => SESSIONS.fileOf(value),
  forgotten: ({ id }) => ({ path: SESSIONS.place(id), text: null }),
  alert: ({ id, value }) => (value === null ? { path: ALERTS.place(id), text: null } : ALERTS.fileOf(value)),
  ack: ({ id }) => ({ path: ackPath(id), text: null }),
  patrol: ({ value }) => PATROLS.fileOf(value),
  note: noteFileOf,
};

export const recordFile = (record: SavedRecord): RecordFile =>
  (FILES_OF[record.kind] as (record: SavedRecord) => RecordFile)(record);
