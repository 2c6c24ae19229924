/** The records of sessions: sessions/<name>.json. */
import type { SessionRecord } from '../../machines/protocol.ts';
import { paths } from '../files/layout.ts';
import { recordKind } from '../files/record-kind.ts';
import { session } from './schemas.ts';

export const { text: sessionText, decode: decodeSession } = recordKind<SessionRecord>('session', {
  shape: session,
  path: ({ spec }) => paths.session(spec.name),
});
