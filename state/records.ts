/** The folders of records that decide something, and how each is read. */
import type { StatePolicy } from './files/policy.ts';
import type { Dance, SessionRecord } from '../machines/protocol.ts';
import { decodeDance } from './hearings/dances.ts';
import { decode } from './files/decode.ts';
import type { Disk } from './files/disk.ts';
import { FOLDERS } from './files/layout.ts';
import type { Quarantine } from './files/quarantine.ts';
import { answerFile, type AnswerFile } from './hearings/schemas.ts';
import { decodeSession } from './sessions/records.ts';
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
    sessions: { ...own, folder: FOLDERS.sessions, decode: decodeSession },
    active: { ...own, folder: FOLDERS.active, decode: (text, name) => decodeDance(text, name, false) },
    completed: { ...own, folder: FOLDERS.completed, decode: (text, name) => decodeDance(text, name, true) },
    // Any process may write these.
    answers: {
      ...own,
      folder: FOLDERS.answers,
      maxBytes: policy.maxRecordBytes,
      decode: (text) => decode(text, 'answer', answerFile),
    },
  };
}
