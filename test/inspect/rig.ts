/** A tree of small machines with the real inspector on a port, and viewers that read raw frames. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket, type ClientOptions } from 'ws';
import { onTestFinished } from 'vitest';
import { assign, enqueueActions, setup } from 'xstate';
import { INSPECT, type InspectPolicy } from '../../src/inspect/policy.ts';
import type { Fact, NewsBody } from '../../machines/protocol.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { Clock } from '../../src/ports/ports.ts';
import { judge, type HealthView } from '../../src/inspect/health.ts';
import { openInspector } from '../../src/inspect/inspector.ts';
import { ActorTree } from '../../src/town/actor-tree.ts';

export const TOKEN = '0123456789abcdef'.repeat(4);

/** A message of the protocol, as a viewer reads it. */
export interface Message {
  readonly type: string;
  readonly sessionId: string;
  readonly name?: string;
  readonly parentId?: string;
  readonly rootId?: string;
  readonly definition?: string;
  readonly createdAt: string;
  readonly snapshot?: { readonly status: string; readonly value: unknown; readonly context: Record<string, unknown> };
  readonly event?: { readonly type: string };
}

const anyFact = (): Fact => ({ type: 'TICK', at: 0, wall: 0 });
interface Ctx {
  readonly heard: number;
  readonly token: string;
  readonly records: readonly object[];
}
const TYPES: { context: Ctx; events: Fact; input: number } = {
  context: { heard: 0, token: '', records: [] },
  events: anyFact(),
  input: 0,
};

/** Counts wakes of `warrants`; its context holds a token and a list that is too long to show. */
const clerk = setup({
  types: TYPES,
  actions: { count: assign({ heard: ({ context }) => context.heard + 1 }), nothing: () => undefined },
}).createMachine({
  id: 'clerk',
  context: { heard: 0, token: TOKEN, records: Array.from({ length: 5_000 }, (_, n) => ({ n, of: TOKEN })) },
  initial: 'idle',
  states: { idle: { on: { CHANGED: { target: 'busy', actions: 'count' } } }, busy: { always: 'idle' } },
  on: { TICK: { actions: 'nothing' }, ALIVE_ANSWERED: { actions: 'nothing' } },
});

const CHILDREN: Record<string, 'clerk'> = {};

/** Two clerks, and a third that comes with the first wake of `sessions`, leaves with the next, and so on. */
const office = setup({
  types: { ...TYPES, children: CHILDREN },
  actors: { clerk },
  actions: {
    open: enqueueActions(({ enqueue }) => {
      for (const id of ['anna', 'bert']) enqueue.spawnChild('clerk', { id, input: 0 });
    }),
    turn: enqueueActions(({ enqueue, context }) => {
      const id = `carl-${Math.floor(context.heard / 2)}`;
      if (context.heard % 2 === 0) enqueue.spawnChild('clerk', { id, input: 0 });
      else enqueue.stopChild(id);
      enqueue.assign({ heard: context.heard + 1 });
    }),
  },
  guards: { sessions: ({ event }) => event.type === 'CHANGED' && event.what === 'sessions' },
}).createMachine({
  id: 'office',
  context: { heard: 0, token: TOKEN, records: [] },
  entry: 'open',
  on: { CHANGED: { guard: 'sessions', actions: 'turn' } },
});

export const WELL: HealthView = judge({ startedAt: 0, beats: [], tmux: true }, 0, 1);

/** A running office; everything ends with the test. */
export async function openRig(
  some: Partial<InspectPolicy> = {},
  health: () => HealthView | null = () => WELL,
  clock: Pick<Clock, 'now' | 'wall'> = systemClock,
) {
  const complaints: string[] = [];
  const policy: InspectPolicy = { ...INSPECT, batchMs: 5, ...some };
  const complain = (text: string): unknown => complaints.push(text);
  const inspector = await openInspector({ policy, clock, health, complain });
  onTestFinished(() => inspector.close());
  const tree = new ActorTree(office, 0, {}, { observe: inspector.observe });
  tree.start();
  return {
    inspector,
    tree,
    complaints,
    url: inspector.url,
    /** One step of the tree with this news. */
    news: (body: NewsBody): void => {
      const stamp = { at: systemClock.now(), wall: systemClock.wall() };
      tree.step(stamp, [{ ...body, ...stamp }]);
    },
  };
}

/** A viewer that reads frames as they are. */
export async function view(url: string, options: ClientOptions = {}) {
  const socket = new WebSocket(url, options);
  onTestFinished(() => socket.terminate());
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString()) as Message));
  await once(socket, 'open');
  /** Resolves with all messages once one fulfils the wish; the test's own limit ends it. */
  const until = async (wish: (message: Message) => boolean): Promise<readonly Message[]> => {
    while (!messages.some(wish)) await pause(2);
    return messages;
  };
  return { messages: messages as readonly Message[], socket, until };
}

/** Asks again until it is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(2);
}
