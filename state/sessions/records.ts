/** The records of sessions: sessions/<name>.json. */
import type { SessionRecord } from '../../machines/protocol.ts';
import { FOLDERS } from '../files/layout.ts';
import { recordsIn } from '../files/record-kind.ts';
import { session } from './schemas.ts';

export const SESSIONS = recordsIn<SessionRecord>(FOLDERS.sessions, 'session', {
  shape: session,
  idOf: ({ spec }) => spec.name,
});
export const { text: sessionText, decode: decodeSession } = SESSIONS;
