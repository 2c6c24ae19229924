/**
 * Where callers of the socket meet the tree: their words become news, and the town's `reply` orders find their caller.
 * Owns the open requests. Every request is answered: by the town, by the time limit, or when the town ends.
 */
import { randomUUID } from 'node:crypto';
import type { Ms, Reply, Request, WallMs } from '../../machines/protocol.ts';
import { PATROLS } from '../../machines/protocol/hearings.ts';
import { textOf } from '../../state/files/disk.ts';
import type { CostRow } from '../costs/view.ts';
import type { Overview } from '../overview/overview.ts';
import { OPERATOR, operatorOnly, type Asker, type Caller } from './permission.ts';
import type { Announce, OrderOf, Perform } from '../ports/ports.ts';
import type { SocketHandlers, StatusView } from './protocol.ts';
import { span } from '../../machines/kernel/span.ts';

export interface RequestRouter {
  readonly handlers: SocketHandlers;
  /** A request of the operator by this channel; without one, of the town's own patrols. Both are refused what an operator's command is refused. */
  readonly ask: (request: Request, by?: string) => Promise<Reply>;
  /** The hand for `reply` orders; a caller who left is no error. */
  readonly reply: Perform<OrderOf<'reply'>>;
  /** The disk's trouble began, goes on for another reason, or is over: callers get an answer at most `patienceMs` after it began. */
  degraded(why: string | null): void;
  /** Answers everybody who still waits: the town ends. */
  close(): void;
}

export interface DeskNeeds {
  readonly announce: Announce;
  /** The agent that has this token; null = none. */
  readonly agentOf: (token: string) => Promise<Caller | null>;
  /** Why a request is not even begun; null = it is the town's to answer. */
  readonly refuses: (request: Request, caller: Asker) => Promise<Reply | null>;
  readonly status: () => StatusView;
  readonly overview: () => Promise<Overview>;
  readonly costs: (from: WallMs | null) => Promise<readonly CostRow[]>;
  readonly inspector: () => string | null;
  readonly stop: () => void;
  /** A caller is answered within this, in every state of the town. */
  readonly answerMs: Ms;
  /** … and within this while the disk takes no records: most trouble of a disk is over sooner. */
  readonly patienceMs: Ms;
}

/** Requests that wait for their reply, by rpc. Each gets exactly one: the first. */
class OpenRequests {
  readonly #open = new Map<string, (reply: Reply) => void>();

  /** Resolves with its reply, or after `ms` with the word that it had none. */
  wait(rpc: string, ms: Ms): Promise<Reply> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(rpc, unanswered(ms)), ms);
      this.#open.set(rpc, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
    });
  }

  settle(rpc: string, reply: Reply): void {
    this.#open.get(rpc)?.(reply);
    this.#open.delete(rpc);
  }

  settleAll(reply: Reply): void {
    for (const rpc of [...this.#open.keys()]) this.settle(rpc, reply);
  }
}

export function createDesk(needs: DeskNeeds): RequestRouter {
  const open = new OpenRequests();
  let isClosed = false;
  let trouble: string | null = null;
  let losingPatience: NodeJS.Timeout | undefined;
  async function begin(rpc: string, request: Request, caller: Asker): Promise<Reply> {
    const refused = await needs.refuses(request, caller);
    if (refused !== null) return refused;
    if (isClosed) return ENDING;
    const reply = open.wait(rpc, needs.answerMs);
    needs.announce({ type: 'REQUESTED', rpc, request, by: nameOf(caller), via: caller.is });
    return reply;
  }
  const handlers: SocketHandlers = {
    status: needs.status,
    overview: needs.overview,
    costs: needs.costs,
    inspector: async (token) => {
      const refused = await unlessOperator(needs, token, 'what the inspector shows');
      return refused ?? { ok: true, value: needs.inspector() };
    },
    stop: async (token) => {
      const refused = await unlessOperator(needs, token, 'stopping the town');
      if (refused === null) needs.stop();
      return refused?.text ?? null;
    },
    wake: (what) => needs.announce({ type: 'CHANGED', what }),
    alive: (code, uuid) => needs.announce({ type: 'ALIVE_ANSWERED', code, uuid }),
    request: async (rpc, request, token) => {
      const caller = token === null ? OPERATOR : await whoCalls(needs, token);
      return 'ok' in caller ? caller : begin(rpc, request, caller);
    },
  };
  return {
    handlers,
    ask: (request, by) =>
      begin(randomUUID(), request, by === undefined ? { is: 'town' } : { is: 'operator', name: by }),
    reply: (order) => {
      open.settle(order.to, order.reply);
      return Promise.resolve({ type: 'REPLIED' });
    },
    degraded: (why) => {
      const isEdge = (trouble === null) !== (why === null);
      trouble = why;
      if (!isEdge) return;
      clearTimeout(losingPatience);
      if (why !== null) losingPatience = setTimeout(() => open.settleAll(waits(trouble ?? why)), needs.patienceMs);
    },
    close: () => {
      isClosed = true;
      clearTimeout(losingPatience);
      open.settleAll(ENDING);
    },
  };
}

/** As the journal names an asker. */
const nameOf = (asker: Asker): string => {
  if (asker.is === 'town') return PATROLS;
  return asker.is === 'operator' ? (asker.name ?? 'operator') : asker.session;
};

type Refusal = Extract<Reply, { ok: false }>;

/** The proved caller; a refusal if the token is unknown, or cannot be looked up. */
async function whoCalls({ agentOf }: Pick<DeskNeeds, 'agentOf'>, token: string | null): Promise<Caller | Refusal> {
  if (token === null) return OPERATOR;
  try {
    return (await agentOf(token)) ?? UNKNOWN_TOKEN;
  } catch (error) {
    return refusal(
      1,
      'caller_unknown',
      `who calls could not be looked up (${textOf(error)}): nothing was begun; try again`,
    );
  }
}

/** A refusal for every caller but the operator. `what` begins the sentence. */
async function unlessOperator(needs: DeskNeeds, token: string | null, what: string): Promise<Refusal | null> {
  const caller = await whoCalls(needs, token);
  if ('ok' in caller) return caller;
  const denied = operatorOnly(caller, what);
  return denied === null ? null : { ok: false, exit: 5, ...denied };
}

const refusal = (exit: Refusal['exit'], code: string, text: string): Refusal => ({ ok: false, exit, code, text });

const UNKNOWN_TOKEN = refusal(
  5,
  'bad_token',
  'TOWN_TOKEN belongs to no living session of this town; unset it, or call from the session it was given to',
);

const ENDING = refusal(
  3,
  'town_ending',
  'the town is ending: what you asked for may not have been done; look again after `town up`',
);

const waits = (why: string): Refusal =>
  refusal(
    4,
    'waits_for_disk',
    `the town is degraded (${why}): what you asked for is not on disk; the town does it once the disk takes records again, and it is lost if the town ends before; see \`town status\``,
  );

const unanswered = (ms: Ms): Refusal =>
  refusal(1, 'not_answered', `the town did not come to it within ${span(ms)}: it may still do it; see \`town status\``);
