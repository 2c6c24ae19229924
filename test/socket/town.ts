/** A town's socket without a town, for the tests of this folder. */
import { onTestFinished } from 'vitest';
import { PROCESS, type ProcessPolicy } from '../../src/ports/policy.ts';
import type { NewsBody } from '../../machines/protocol.ts';
import type { Caller } from '../../src/socket/permission.ts';
import { createDesk, type RequestRouter } from '../../src/socket/request-router.ts';
import type { Overview } from '../../src/overview/overview.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import type { StatusView } from '../../src/socket/protocol.ts';
import { openControlSocket, type ControlServer } from '../../src/socket/server.ts';
import { freshFolder } from '../world/over.ts';

export const STATUS: StatusView = {
  running: true,
  pid: process.pid,
  guard_pid: null,
  epoch: 3,
  version: '0.0.0',
  root: '/town',
  tmux_socket: 'default',
  started_at: '2026-01-01T00:00:00.000Z',
  ready: true,
  degraded: { is: false, why: null },
  waiting: null,
  inspect_port: null,
  health: null,
  pool_size: 5,
  steps: { count: 0, longest_ms: 0 },
  actors: [{ id: 'town', state: 'running', restarts: 0 }],
  windows: [],
  starts: [],
};

/** The one agent that a fake town knows. */
export const TOKEN = 'token-of-builder';
const SPEC = { name: 'builder', command: ['agent'], dir: '/', tags: [], restart: 'transient', process: null } as const;
export const BUILDER: Caller = { is: 'agent', session: 'builder', uuid: 'uuid-of-builder', spec: SPEC };

export interface FakeTown {
  readonly root: string;
  readonly server: ControlServer;
  readonly desk: RequestRouter;
  readonly news: NewsBody[];
  readonly complaints: string[];
  stops(): number;
}

/** For what takes a moment, on a machine that has much to do. */
export const WAIT = { timeout: 120_000 };

export const LETTERS: Overview['mail'] = [{ id: 'm1', from: 'mayor', subject: 'of the salaries' }];

const OVERVIEW: Overview = {
  sessions: [],
  tmux_socket: '/s',
  tmux_holder: null,
  tmux_fault: null,
  unreadable: [],
  dances: 0,
  alerts: [],
  mail: LETTERS,
  mail_count: 1,
};

export async function openTown(some: Partial<ProcessPolicy> = {}, root = freshFolder()): Promise<FakeTown> {
  const limits = { ...PROCESS, ...some };
  const news: NewsBody[] = [];
  const complaints: string[] = [];
  let stops = 0;
  const desk = createDesk({
    announce: (body) => news.push(body),
    status: () => STATUS,
    overview: () => Promise.resolve(OVERVIEW),
    costs: () => Promise.resolve([]),
    inspector: () => null,
    stop: () => {
      stops += 1;
    },
    agentOf: (token) => Promise.resolve(token === TOKEN ? BUILDER : null),
    refuses: () => Promise.resolve(null),
    answerMs: limits.orderMs,
    patienceMs: limits.callMs,
  });
  const path = socketPath(root, limits.maxSocketPathBytes);
  const server = await openControlSocket(path, desk.handlers, limits, (text) => complaints.push(text));
  onTestFinished(() => server.close());
  return { root, server, desk, news, complaints, stops: () => stops };
}
