/**
 * The records of sessions: sessions/<name>.json.
 */
import type { SessionRecord } from '../../machines/protocol.ts';
import { decode, type Decoded } from '../files/decode.ts';
import { nameOf } from '../files/layout.ts';
import { sessionFile } from './schemas.ts';
import { seal } from '../files/checksum.ts';

/** The text of a session's file. */
export function sessionText(record: SessionRecord): string {
  return seal({ schema: 'session/1', ...record });
}

export function decodeSession(text: string, name: string): Decoded<SessionRecord> {
  const decoded = decode(text, 'session', sessionFile);
  if (!decoded.ok) return decoded;
  const { schema: _, ...value } = decoded.value;
  if (`${nameOf(value.spec.name)}.json` !== name) {
    return { ok: false, what: 'bad', why: `it holds the session "${value.spec.name}"`, requester: null };
  }
  return { ok: true, value, sealed: decoded.sealed };
}
