/**
 * One connection to the control socket, seen from the town. Owns its socket, its timer and its open requests.
 * A connection that is silent, unread or malformed ends; the town does not notice.
 */
import type { Socket } from 'node:net';
import { createMessageConnection, ErrorCodes, ResponseError, type MessageConnection } from 'vscode-jsonrpc/node';
import type { Reply } from '../../machines/protocol.ts';
import { checkAlive, checkPoke, checkRequest, splitToken } from './messages.ts';
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
    this.#silence = setTimeout(() => {
      this.#endIfSilent();
    }, limits.silentMs).unref();
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
    const { status, overview, inspector, request, stop, watch, poke, alive } = METHODS;
    this.#connection.onRequest(status, () => this.#answer(() => Promise.resolve(this.#host.status())));
    this.#connection.onRequest(overview, () => this.#answer(() => this.#host.overview()));
    this.#connection.onRequest(inspector, (params: unknown) =>
      this.#answer(() => this.#host.inspector(splitToken(params).token)),
    );
    this.#connection.onRequest(request, (params: unknown) => this.#answer(() => this.#request(params)));
    this.#connection.onRequest(stop, (params: unknown) => this.#answer(() => this.#stop(params)));
    this.#connection.onRequest(watch, () =>
      this.#answer(() => {
        this.#watching = true;
        return Promise.resolve(this.#host.progress());
      }),
    );
    this.#connection.onNotification(poke, (params: unknown) => {
      this.#silence.refresh();
      const checked = checkPoke(params);
      if (checked.ok) this.#host.poke(checked.value.what);
      else this.#host.complain(`control socket: a poke was ignored: ${checked.text}`);
    });
    this.#connection.onNotification(alive, (params: unknown) => {
      this.#silence.refresh();
      const checked = checkAlive(params);
      if (checked.ok) this.#host.alive(checked.value.code, checked.value.uuid);
      else this.#host.complain(`control socket: an answer was ignored: ${checked.text}`);
    });
  }

  async #answer<T>(give: () => Promise<T>): Promise<T | ResponseError> {
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
