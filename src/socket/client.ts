/**
 * A caller's end of the control socket: one connection, every call under a time limit. Light to import, since each `town`
 * command pays for it.
 */
import { statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { PROCESS, type ProcessPolicy } from '../ports/policy.ts';
import type { Ms, Reply, Request, WallMs } from '../../machines/protocol.ts';
import { readPlain } from '../../state/files/regular-file.ts';
import { orNull } from '../../state/files/or-null.ts';
import { isOfAnotherRoot } from '../../state/process/copied-root.ts';
import { socketRefusedAt } from '../../state/files/trusted-roots.ts';
import type { CostRow } from '../costs/view.ts';
import type { Overview } from '../overview/overview.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { refusalText } from '../terminal/refusal.ts';
import { FrameReader, toFrame, type WireMessage } from './frames.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import {
  METHODS,
  type AliveParams,
  type CostsParams,
  type WakeParams,
  type WhatChanged,
  type StatusView,
  type TokenParams,
} from './protocol.ts';
import { span } from '../../machines/kernel/span.ts';
import { callerToken } from './caller-token.ts';

export type ClientLimits = Pick<
  ProcessPolicy,
  'callMs' | 'orderMs' | 'patrolMs' | 'maxHeaderBytes' | 'maxMessageBytes' | 'maxSocketPathBytes'
>;

/** No process answers on the root's socket: exit 3. */
export class TownNotRunning extends Error {
  override readonly name = 'TownNotRunning';
}

/** A process has the socket open but does not answer in time, or hung up: unknown, not down. Exit 1. */
export class TownSilent extends Error {
  override readonly name = 'TownSilent';
  /** It said so itself. */
  readonly isOwnWord: boolean;

  constructor(
    message: string,
    { isOwnWord = false, ...options }: ErrorOptions & { readonly isOwnWord?: boolean } = {},
  ) {
    super(message, options);
    this.isOwnWord = isOwnWord;
  }
}

export interface TownClient {
  /** All calls reject with `TownSilent` when the town does not answer in time or hangs up. */
  status(): Promise<StatusView>;
  overview(): Promise<Overview>;
  /** `from`: what was taken before does not count; null = all counts. Rejects too where an older town runs. */
  costs(from: WallMs | null): Promise<readonly CostRow[]>;
  /** The URL of the inspector's stream; null when it is closed, or not for this caller. */
  inspector(): Promise<string | null>;
  request(request: Request): Promise<Reply>;
  /** Resolves once it is written: the town takes it in soon, and finds the file anyway. */
  wake(what: WhatChanged): Promise<void>;
  alive(code: string, uuid: string | null): Promise<void>;
  /** Asks for an orderly end; resolves when the town has begun it. */
  stop(): Promise<{ readonly pid: number }>;
  close(): void;
}

/** Connects to the town of `root` (absolute). `token` proves who calls. Rejects with `TownNotRunning`, or `Failure` where the socket is not ours. */
export async function connectTown(
  root: string,
  limits: ClientLimits = PROCESS,
  token = callerToken(),
): Promise<TownClient> {
  const path = recordedSocket(root) ?? socketPath(root, limits.maxSocketPathBytes);
  const fault = socketRefusedAt(path);
  if (fault !== null)
    throw new Failure(EXIT.usage, 'not_yours', refusalText(fault, 'no town is called there', 'move it away'));
  return clientOn(await open(path, limits.callMs), limits, token === undefined ? {} : { token });
}

const NO_LISTENER: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR', 'ELOOP']);
/** It died with our connection in its queue; or its queue is full, as that of a stopped process is. */
const NOT_NOW: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'EAGAIN']);
const HUNG_UP = 'the town hung up before it answered: try again, or look into `town daemon logs`';

/** What was asked over one connection finds its answer by its number. */
class Calls {
  readonly #socket: Socket;
  readonly #open = new Map<unknown, PromiseWithResolvers<unknown>>();
  #last = 0;
  /** Why the town ends this connection, if it said so. */
  #refusal: string | null = null;

  constructor(socket: Socket, limits: ClientLimits) {
    this.#socket = socket;
    const frames = new FrameReader(limits);
    socket.on('data', (chunk: Buffer) => {
      try {
        frames.take(chunk).forEach((message) => this.#take(message));
      } catch {
        socket.destroy(); // Calls in flight learn of it by the close.
      }
    });
    socket.on('error', () => undefined); // The close follows.
    // One for all: a listener for each call is what Node warns of from eleven on.
    socket.once('close', () => {
      for (const answer of this.#open.values()) answer.reject(this.silence);
    });
  }

  /** What a call gets once the connection is gone. */
  get silence(): TownSilent {
    return this.#refusal === null ? new TownSilent(HUNG_UP) : new TownSilent(this.#refusal, { isOwnWord: true });
  }

  ask<T>(method: string, params: object): Promise<T> {
    const answer = Promise.withResolvers<unknown>();
    const id = (this.#last += 1);
    this.tell(method, params, id);
    this.#open.set(id, answer);
    return answer.promise as Promise<T>;
  }

  tell(method: string, params: object, id?: number): void {
    if (this.#socket.destroyed) throw this.silence;
    this.#socket.write(toFrame({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params }));
  }

  #take({ id, result, error }: WireMessage): void {
    if (id === null && error !== undefined) this.#refusal = messageOf(error);
    const answer = this.#open.get(id);
    this.#open.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(messageOf(error)));
  }
}

function clientOn(socket: Socket, limits: ClientLimits, token: TokenParams): TownClient {
  const { callMs, orderMs, patrolMs } = limits;
  const calls = new Calls(socket, limits);
  const ask = <T>(method: string, ms: Ms, params: object): Promise<T> => within(ms, () => calls.ask<T>(method, params));
  const tell = (method: string, params: object): Promise<void> => within(callMs, () => calls.tell(method, params));
  return {
    status: () => ask(METHODS.status, callMs, {}),
    overview: () => ask(METHODS.overview, orderMs, token),
    costs: (from) => ask(METHODS.costs, orderMs, { from } satisfies CostsParams),
    inspector: async () => {
      const reply = await ask<Reply>(METHODS.inspector, callMs, token);
      return reply.ok && typeof reply.value === 'string' ? reply.value : null;
    },
    request: (request) =>
      ask(METHODS.request, callMs + (request.verb === 'patrol' ? patrolMs : orderMs), { ...request, ...token }),
    wake: (what) => tell(METHODS.wake, { what } satisfies WakeParams),
    alive: (code, uuid) => tell(METHODS.alive, { code, uuid } satisfies AliveParams),
    stop: () => ask(METHODS.stop, callMs, token),
    close: () => socket.destroySoon(),
  };
}

async function within<T>(ms: Ms, begin: () => T | Promise<T>): Promise<T> {
  const call = Promise.resolve(begin());
  const over = Promise.withResolvers<never>();
  const late = `the town did not answer within ${span(ms)}: try again, or see \`town daemon logs\``;
  const timer = setTimeout(() => over.reject(new TownSilent(late)), ms);
  try {
    return await Promise.race([call, over.promise]);
  } finally {
    clearTimeout(timer);
    // The loser of the race may still reject; it was answered for already.
    call.catch(() => undefined);
  }
}

/** The socket that the running town wrote down; null = none, or not readable, and the usual place is tried. */
function recordedSocket(root: string): string | null {
  // Absent, or another program's plain number: the socket itself tells whether a town runs.
  const record = orNull(
    () => JSON.parse(readPlain(join(root, 'daemon', 'daemon.pid'))) as { socket?: unknown; root?: unknown } | null,
  );
  if (typeof record?.root === 'string' && isOfAnotherRoot(root, record.root)) return null;
  return typeof record?.socket === 'string' ? record.socket : null;
}

const messageOf = (error: unknown): string =>
  String(typeof error === 'object' && error !== null && 'message' in error ? error.message : error);

const notRunningText = (path: string): string =>
  `the town is not running: no process listens on ${path}; start it with \`town up\``;

/** Anything but a socket has no listener. An unseen path is not absent: then the connection's error decides. */
const isSocket = (path: string): boolean => orNull(() => statSync(path).isSocket()) ?? true;

function open(path: string, ms: Ms): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const late = `${path} took no connection in ${span(ms)}`;
    const timer = setTimeout(() => socket.destroy(new TownSilent(late)), ms);
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      const code = error.code ?? '';
      if (NO_LISTENER.has(code) || !isSocket(path)) reject(new TownNotRunning(notRunningText(path), { cause: error }));
      else if (NOT_NOW.has(code)) reject(new TownSilent(HUNG_UP, { cause: error }));
      else reject(error);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
