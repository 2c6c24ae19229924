/** Sessions as a town has them on record. */
import type { Incarnation, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';

export const specOf = (name: string, more: Partial<SessionSpec> = {}): SessionSpec => ({
  name,
  command: ['agent'],
  dir: '/',
  tags: [],
  restart: 'permanent',
  process: null,
  ...more,
});
/** Of one that runs in this life. */
export const running = (
  life: Incarnation,
  spec: Partial<SessionSpec> = {},
  more: Partial<SessionRecord> = {},
): SessionRecord => ({
  ...freshSession(specOf(life.session, spec), ''),
  state: 'running',
  pending: null,
  incarnation: life,
  ...more,
});
