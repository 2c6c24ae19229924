/**
 * Where callers of the socket meet the street: their words become news, and the town's `reply` orders find their caller.
 * Owns the open requests. Every request is answered: by the town, by the time limit, or when the town ends.
 */
import type { Ms, Order, Reply } from '../../machines/protocol.ts';
import type { Overview } from '../overview/overview.ts';
import type { Announce, OrderOf, Perform } from '../ports.ts';
import type { SocketHandlers, StatusView } from './protocol.ts';

export interface Desk {
  readonly handlers: SocketHandlers;
  /** The hand for `reply` orders; a caller who left is no error. */
  readonly reply: Perform<OrderOf<'reply'>>;
  /** Answers everybody who still waits: the town ends. */
  close(): void;
}

export interface DeskNeeds {
  readonly announce: Announce;
  readonly status: () => StatusView;
  readonly overview: () => Promise<Overview>;
  readonly stop: () => void;
  /** A caller is answered within this, whatever the town does. */
  readonly answerMs: Ms;
}

export function createDesk(needs: DeskNeeds): Desk {
  const open = new Map<string, (reply: Reply) => void>();
  const settle = (rpc: string, reply: Reply): void => {
    open.get(rpc)?.(reply);
    open.delete(rpc);
  };
  const handlers: SocketHandlers = {
    status: needs.status,
    overview: needs.overview,
    stop: needs.stop,
    poke: (what) => {
      needs.announce({ type: 'POKED', what });
    },
    alive: (code, uuid) => {
      needs.announce({ type: 'ALIVE_ANSWERED', code, uuid });
    },
    request: (rpc, request) =>
      new Promise<Reply>((resolve) => {
        const timer = setTimeout(() => {
          settle(rpc, unanswered(needs.answerMs));
        }, needs.answerMs);
        open.set(rpc, (reply) => {
          clearTimeout(timer);
          resolve(reply);
        });
        needs.announce({ type: 'REQUESTED', rpc, request });
      }),
  };
  return {
    handlers,
    reply: (order: Extract<Order, { type: 'reply' }>) => {
      settle(order.to, order.reply);
      return Promise.resolve({ type: 'REPLIED' });
    },
    close: () => {
      for (const rpc of [...open.keys()]) settle(rpc, ENDING);
    },
  };
}

const ENDING: Reply = {
  ok: false,
  exit: 3,
  code: 'town_ending',
  text: 'the town is ending: what you asked for may not have been done; look again after `town up`',
};

function unanswered(ms: Ms): Reply {
  return {
    ok: false,
    exit: 1,
    code: 'not_answered',
    text: `the town did not come to it within ${String(ms)} ms: it may still do it; see \`town status\``,
  };
}
