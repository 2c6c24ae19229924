/** The session `builder` as its record, tmux and the town show it. */
import type { SessionRecord } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import type { Scene } from '../../src/overview/scene.ts';
import { type Around } from '../../src/overview/sessions.ts';
import { incarnation } from '../world/drive.ts';

export const LIFE = incarnation(1, { session: 'builder' });
const SPEC = { name: 'builder', command: ['agent'], dir: '/', tags: [], restart: 'transient', process: null } as const;
export const record = (more: Partial<SessionRecord> = {}): SessionRecord => ({
  ...freshSession(SPEC, ''),
  state: 'running',
  incarnation: LIFE,
  pending: null,
  note: 'running',
  startedAt: 1_000,
  ...more,
});
export const scene = (more: Partial<Scene> = {}): Scene => ({
  socketPath: '/s',
  sessions: [
    { sessionId: '$1', name: 'builder', attached: 0, panes: [{ paneId: '%1', pid: LIFE.agent.pid, dead: false }] },
    { sessionId: '$2', name: 'mine', attached: 1, panes: [{ paneId: '%2', pid: 9, dead: false }] },
  ],
  fault: null,
  ...more,
});
export const around = (seen: Scene, processes: Around['processes'], more: Partial<Around> = {}): Around => ({
  scene: seen,
  processes,
  dances: [],
  doubtful: [],
  loads: new Map(),
  rateOf: () => null,
  asksOf: () => null,
  tokensOf: () => null,
  agents: new Map(),
  wall: 11_000,
  ...more,
});
export const unknown = (): never => {
  throw new Error('no more descriptors');
};
