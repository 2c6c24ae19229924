/** The folders of records that decide something, and how each is read. */
import type { StatePolicy } from './files/policy.ts';
import type { Dance, SessionRecord } from '../machines/protocol/index.ts';
import { decodeDance } from './hearings/dances.ts';
import { decode } from './files/decode.ts';
import type { Disk } from './files/disk.ts';
import { FOLDERS } from './files/layout.ts';
import type { Quarantine } from './files/quarantine.ts';
import { answerFile, type AnswerFile } from './hearings/schemas.ts';
import { decodeSession } from './sessions/records.ts';
import type { Shelf } from './files/record-folder.ts';

export interface Shelves {
  readonly quarantine: Quarantine;
  readonly sessions: Shelf<SessionRecord>;
  readonly answers: Shelf<AnswerFile>;
  readonly active: Shelf<Dance>;
  readonly completed: Shelf<Dance>;
}

export function shelvesOf(disk: Disk, quarantine: Quarantine, policy: StatePolicy): Shelves {
  const own = { disk, quarantine, mostBytes: policy.mostOwnBytes };
  return {
    quarantine,
    sessions: { ...own, folder: FOLDERS.sessions, decode: decodeSession },
    active: { ...own, folder: FOLDERS.active, decode: (text, name) => decodeDance(text, name, false) },
    completed: { ...own, folder: FOLDERS.completed, decode: (text, name) => decodeDance(text, name, true) },
    // Any process may write these.
    answers: {
      ...own,
      folder: FOLDERS.answers,
      mostBytes: policy.mostRecordBytes,
      decode: (text) => decode(text, 'answer', answerFile),
    },
  };
}
