/** A supervised session, by how its end is followed. */
import { POLICY } from '../../machines/policy.ts';
import type { SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { specOf } from './one.ts';

export const policy = POLICY.sessions;
export const spec = (restart: SessionSpec['restart'], name = 's1'): SessionSpec => specOf(name, restart);
export const running = (restart: SessionSpec['restart'], more: Partial<SessionRecord> = {}): SessionRecord => ({
  ...freshSession(spec(restart), 'u'),
  state: 'running',
  pending: null,
  ...more,
});
