/**
 * One connection to the control socket, seen from the town. Owns its socket, its timer and its open requests.
 * A connection that is silent, unread or malformed ends; the town does not notice.
 */
import type { Socket } from 'node:net';
import { createMessageConnection, ErrorCodes, ResponseError, type MessageConnection } from 'vscode-jsonrpc/node';
import type { Reply } from '../../machines/protocol.ts';
import { checkAlive, checkPoke, checkRequest, costsFrom, splitToken, type Checked } from './messages.ts';
import { METHODS, type Progress, type SocketHandlers, type SocketLimits } from './protocol.ts';
import { BoundedReader, BoundedWriter } from './wire.ts';

/** What a connection needs of its server. */
export interface CallerHost extends SocketHandlers {
  /** A new id for a request; never given twice. */
  nextRpc(): string;
  progress(): Progress;
  gone(): void;
  complain(text: string): void;
}

export class Caller {
  readonly #socket: Socket;
  readonly #limits: SocketLimits;
  readonly #host: CallerHost;
  readonly #connection: MessageConnection;
  readonly #silence: NodeJS.Timeout;
  #open = 0;
  #watching = false;

  constructor(socket: Socket, limits: SocketLimits, host: CallerHost) {
    this.#socket = socket;
    this.#limits = limits;
    this.#host = host;
    this.#silence = setTimeout(() => this.#endIfSilent(), limits.silentMs).unref();
    this.#connection = createMessageConnection(
      new BoundedReader(socket, limits),
      new BoundedWriter(socket, limits.maxUnreadBytes),
    );
    this.#connection.onError(([error]) => {
      host.complain(`control socket: a connection was closed: ${error.message}`);
      this.end();
    });
    socket.on('close', () => {
      clearTimeout(this.#silence);
      this.#connection.dispose();
      host.gone();
    });
    this.#serve();
    this.#connection.listen();
  }

  /** Sends progress if this caller asked for it. */
  tellProgress(progress: Progress): void {
    if (!this.#watching) return;
    // The write fails only because the caller left: its close is handled above.
    this.#connection.sendNotification(METHODS.progress, progress).catch(() => undefined);
  }

  /** Ends the connection after what is written already. */
  end(): void {
    this.#socket.destroySoon();
  }

  #serve(): void {
    const { status, overview, costs, inspector, request, stop, watch, poke, alive } = METHODS;
    const host = this.#host;
    this.#asked(status, () => host.status());
    this.#asked(overview, () => host.overview());
    this.#asked(costs, (params) => host.costs(costsFrom(params)));
    this.#asked(inspector, (params) => host.inspector(splitToken(params).token));
    this.#asked(request, (params) => this.#request(params));
    this.#asked(stop, (params) => this.#stop(params));
    this.#asked(watch, () => {
      this.#watching = true;
      return host.progress();
    });
    this.#told(poke, 'a poke', checkPoke, ({ what }) => host.poke(what));
    this.#told(alive, 'an answer', checkAlive, ({ code, uuid }) => host.alive(code, uuid));
  }

  #asked(method: string, answer: (params: unknown) => unknown): void {
    this.#connection.onRequest(method, (params: unknown) => this.#answer(() => answer(params)));
  }

  #told<T>(method: string, what: string, check: (params: unknown) => Checked<T>, take: (told: T) => void): void {
    this.#connection.onNotification(method, (params: unknown) => {
      this.#silence.refresh();
      const checked = check(params);
      if (checked.ok) take(checked.value);
      else this.#host.complain(`control socket: ${what} was ignored: ${checked.text}`);
    });
  }

  async #answer(give: () => unknown): Promise<unknown> {
    this.#silence.refresh();
    if (this.#open >= this.#limits.maxOpenRequests) {
      this.#socket.destroy();
      return new ResponseError(ErrorCodes.InvalidRequest, 'too many requests at once');
    }
    this.#open += 1;
    try {
      return await give();
    } finally {
      this.#open -= 1;
      this.#silence.refresh();
    }
  }

  async #request(params: unknown): Promise<Reply> {
    const { token, rest } = splitToken(params);
    const checked = checkRequest(rest);
    if (checked.ok) return this.#host.request(this.#host.nextRpc(), checked.value, token);
    return { ok: false, exit: 2, code: 'malformed_request', text: checked.text };
  }

  async #stop(params: unknown): Promise<{ readonly pid: number } | ResponseError> {
    const refused = await this.#host.stop(splitToken(params).token);
    return refused === null ? { pid: process.pid } : new ResponseError(ErrorCodes.InvalidRequest, refused);
  }

  #endIfSilent(): void {
    if (this.#watching || this.#open > 0) this.#silence.refresh();
    else this.#socket.destroy();
  }
}
