/**
 * One connection to the control socket, seen from the town. Owns its socket, its timer and its open requests.
 * 1. A connection that is silent, unread or malformed ends; the town does not notice.
 * 2. It takes one message a turn of the event loop: a flood from one caller waits in the kernel.
 */
import type { Socket } from 'node:net';
import type { Reply } from '../../machines/protocol.ts';
import { textOf } from '../../state/files/disk.ts';
import { FrameReader, toFrame, type WireMessage } from './frames.ts';
import { lettersFor } from '../overview/overview.ts';
import { checkAlive, checkWake, checkRequest, costsFrom, splitToken, type Checked } from './messages.ts';
import { METHODS, type SocketHandlers, type SocketLimits } from './protocol.ts';

/** What a connection needs of its server. */
export interface CallerHost extends SocketHandlers {
  /** A new id for a request; never given twice. */
  nextRpc(): string;
  gone(): void;
  complain(kind: string, text: string): void;
}

/** Of JSON-RPC. */
const INTERNAL_ERROR = -32_603;

export class Caller {
  readonly #socket: Socket;
  readonly #limits: SocketLimits;
  readonly #host: CallerHost;
  readonly #frames: FrameReader;
  readonly #silence: NodeJS.Timeout;
  readonly #requests = new Map<unknown, (params: unknown) => unknown>();
  readonly #notices = new Map<unknown, (params: unknown) => void>();
  #queue: WireMessage[] = [];
  #open = 0;

  constructor(socket: Socket, limits: SocketLimits, host: CallerHost) {
    this.#socket = socket;
    this.#limits = limits;
    this.#host = host;
    this.#silence = setTimeout(() => this.#endIfSilent(), limits.silentMs).unref();
    this.#frames = new FrameReader(limits);
    this.#serve();
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => {
      clearTimeout(this.#silence);
      host.gone();
    });
  }

  /** It asks nothing now. */
  get isIdle(): boolean {
    return this.#open === 0 && this.#queue.length === 0;
  }

  /** Says why and ends the connection: an error of no request in particular. */
  refuse(message: string): void {
    this.#write({ id: null, error: { code: INTERNAL_ERROR, message } });
    this.end();
  }

  /** Ends the connection after what is written already. */
  end(): void {
    this.#socket.destroySoon();
  }

  #serve(): void {
    const { status, overview, costs, inspector, request, stop, wake, alive } = METHODS;
    const host = this.#host;
    this.#asked(status, () => host.status());
    this.#asked(overview, async (params) => {
      const seen = await host.overview();
      return { ...seen, mail: lettersFor(splitToken(params).token, seen.mail) };
    });
    this.#asked(costs, (params) => host.costs(costsFrom(params)));
    this.#asked(inspector, (params) => host.inspector(splitToken(params).token));
    this.#asked(request, (params) => this.#request(params));
    this.#asked(stop, (params) => this.#stop(params));
    this.#told(wake, 'a wake-up', checkWake, ({ what }) => host.wake(what));
    this.#told(alive, 'an answer', checkAlive, ({ code, uuid }) => host.alive(code, uuid));
  }

  #asked(method: string, answer: (params: unknown) => unknown): void {
    this.#requests.set(method, answer);
  }

  #told<T>(method: string, what: string, check: (params: unknown) => Checked<T>, take: (told: T) => void): void {
    this.#notices.set(method, (params) => {
      this.#silence.refresh();
      const checked = check(params);
      if (checked.ok) take(checked.value);
      else this.#host.complain(what, `control socket: ${what} was ignored: ${checked.text}`);
    });
  }

  #read(chunk: Buffer): void {
    try {
      this.#queue.push(...this.#frames.take(chunk));
    } catch (error) {
      return this.#fail(error);
    }
    if (this.#queue.length === 0) return;
    this.#socket.pause();
    setImmediate(() => this.#takeNext());
  }

  #fail(error: unknown): void {
    this.#host.complain('closed', `control socket: a connection was closed: ${textOf(error)}`);
    this.#socket.destroy();
  }

  #takeNext(): void {
    const message = this.#queue.shift();
    if (message === undefined || this.#socket.destroyed) {
      this.#queue = [];
      this.#socket.resume();
      return;
    }
    if (message.id === undefined) this.#notices.get(message.method)?.(message.params);
    else void this.#answer(message);
    setImmediate(() => this.#takeNext());
  }

  async #answer({ id, method, params }: WireMessage): Promise<void> {
    this.#silence.refresh();
    if (this.#open >= this.#limits.maxOpenRequests) return void this.#socket.destroy();
    this.#open += 1;
    try {
      const answer = this.#requests.get(method);
      if (answer === undefined) throw new Error(`the town knows no ${String(method)}`);
      this.#reply(id, (await answer(params)) ?? null);
    } catch (error) {
      this.#write({ id, error: { code: INTERNAL_ERROR, message: textOf(error) } });
    } finally {
      this.#open -= 1;
      this.#silence.refresh();
    }
  }

  /** Throws where its caller would refuse the message, which would look as if the town had hung up. */
  #reply(id: unknown, result: unknown): void {
    const frame = toFrame({ jsonrpc: '2.0', id, result });
    const { maxMessageBytes: most } = this.#limits;
    if (frame.length > most)
      throw new Error(`the town's answer has ${String(frame.length)} bytes, and a message takes ${String(most)}`);
    this.#send(frame);
  }

  #write(message: Partial<WireMessage>): void {
    this.#send(toFrame({ jsonrpc: '2.0', ...message }));
  }

  /** Does not wait: who leaves too much unread is cut off. */
  #send(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame);
    if (this.#socket.writableLength > this.#limits.maxUnreadBytes) this.#socket.destroy();
  }

  async #request(params: unknown): Promise<Reply> {
    const { token, rest } = splitToken(params);
    const checked = checkRequest(rest);
    if (checked.ok) return this.#host.request(this.#host.nextRpc(), checked.value, token);
    return { ok: false, exit: 2, code: 'malformed_request', text: checked.text };
  }

  async #stop(params: unknown): Promise<{ readonly pid: number }> {
    const refused = await this.#host.stop(splitToken(params).token);
    if (refused !== null) throw new Error(refused);
    return { pid: process.pid };
  }

  #endIfSilent(): void {
    if (this.#open > 0) this.#silence.refresh();
    else this.#socket.destroy();
  }
}
