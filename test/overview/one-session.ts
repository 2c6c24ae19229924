/** The session `builder` as its record, tmux and the town show it. */
import type { SessionRecord } from '../../machines/protocol.ts';
import type { Scene } from '../../src/overview/scene.ts';
import { type Around } from '../../src/overview/sessions.ts';
import { incarnation } from '../world/drive.ts';

export const LIFE = incarnation(1, { session: 'builder' });
export const record = (more: Partial<SessionRecord> = {}): SessionRecord => ({
  spec: { name: 'builder', command: ['agent'], dir: '/', tags: [], restart: 'transient', process: null },
  state: 'running',
  incarnation: LIFE,
  pending: null,
  tokenHash: null,
  restartAgesMs: [],
  streak: 0,
  restarts: 0,
  crashLoop: false,
  waitMs: 0,
  stableMs: 0,
  lastExit: null,
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
