/** One session and its record, as the town has it. */
import type { Exit, RestartPolicy, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { incarnation } from '../world/drive.ts';

export const specOf = (name: string, restart: RestartPolicy = 'permanent'): SessionSpec => ({
  name,
  command: ['agent'],
  dir: '/',
  tags: [],
  restart,
  process: null,
});
export const spec = specOf('s1');
export const life = incarnation(1, { session: 's1' });
export const running = (more: Partial<SessionRecord> = {}): SessionRecord => ({
  ...freshSession(spec, 'u'),
  state: 'running',
  pending: null,
  incarnation: life,
  startedAt: 1,
  ...more,
});
export const code = (n: number): Exit => ({ kind: 'code', code: n });
