/** The folders of records that decide something, and how each is read. */
import type { StatePolicy } from '../machines/policy.ts';
import type { Dance, SessionRecord } from '../machines/protocol.ts';
import { decodeDance } from './dances.ts';
import { decode } from './decode.ts';
import type { Disk } from './disk.ts';
import { FOLDERS } from './layout.ts';
import type { Quarantine } from './quarantine.ts';
import { answerFile, type AnswerFile } from './schemas.ts';
import { decodeSession } from './sessions.ts';
import type { Shelf } from './shelf.ts';

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
