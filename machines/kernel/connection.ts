/**
 * One connection of the town to an outside thing (tmux's control client, the control socket): a small pure machine.
 * down -> connecting -> up -> backing_off -> connecting …, for ever: hands that are away never bring the watch down.
 * The hands keep the connection itself; they answer `connect` with CONNECTED and announce LOST.
 */
import { assign, emit, setup } from 'xstate';
import type { SupervisorPolicy } from './policy.ts';
import type { Fact, Instant, Order } from '../protocol.ts';
import { backoffMs } from './schedule.ts';
import { isDue, stampOf } from './decision.ts';

export interface ConnectionInput {
  readonly what: string;
  readonly policy: SupervisorPolicy;
}
interface Ctx extends ConnectionInput {
  /** Tries since it was up last. */
  readonly tries: number;
  readonly wakeAt: Instant | null;
}

export const connection = setup({
  types: {} as { context: Ctx; events: Fact; input: ConnectionInput; emitted: Order },
  actions: {
    connect: emit(({ context: { what } }): Order => ({ type: 'connect', id: { issuer: 'connect', name: what }, what })),
    tried: assign(({ context }) => ({ tries: context.tries + 1, wakeAt: null })),
    backOff: assign(({ context: { tries, policy }, event }) => ({
      wakeAt: stampOf(event).at + backoffMs(Math.max(1, tries), policy.backoffMs, policy.maxBackoffMs),
    })),
    up: assign({ tries: 0 }),
  },
  guards: {
    ours: ({ context, event }) => 'what' in event && event.what === context.what,
    due: isDue,
  },
}).createMachine({
  id: 'connection',
  context: ({ input }) => ({ ...input, tries: 0, wakeAt: null }),
  initial: 'connecting',
  states: {
    connecting: {
      entry: ['tried', 'connect'],
      on: {
        CONNECTED: { guard: 'ours', target: 'up' },
        ORDER_FAILED: { target: 'backing_off' },
      },
    },
    up: { entry: 'up', on: { LOST: { guard: 'ours', target: 'backing_off' } } },
    backing_off: { entry: 'backOff', on: { TICK: { guard: 'due', target: 'connecting' } } },
  },
});
