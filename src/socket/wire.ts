/**
 * vscode-jsonrpc's reader and writer over a socket of a stranger.
 * 1. Reads bounded frames, one message a turn of the event loop: a flood from one caller waits in the kernel.
 * 2. Writes without waiting, and cuts off who leaves too much unread: the package's own writer queues without a bound.
 */
import type { Socket } from 'node:net';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import { FrameReader, toFrame, type FrameLimits, type WireMessage } from './frames.ts';

export class BoundedReader extends AbstractMessageReader {
  readonly #socket: Socket;
  readonly #frames: FrameReader;
  #queue: WireMessage[] = [];

  constructor(socket: Socket, limits: FrameLimits) {
    super();
    this.#socket = socket;
    this.#frames = new FrameReader(limits);
  }

  /** Calls back for each whole message. The first malformed one is an error and the end of the connection. */
  listen(callback: DataCallback): Disposable {
    const read = (chunk: Buffer): void => {
      try {
        this.#queue.push(...this.#frames.take(chunk));
      } catch (error) {
        this.fireError(error);
        this.#socket.destroy();
        return;
      }
      if (this.#queue.length === 0) return;
      this.#socket.pause();
      setImmediate(() => this.#hand(callback));
    };
    this.#socket.on('data', read);
    this.#socket.on('error', (error) => this.fireError(error));
    this.#socket.on('close', () => this.fireClose());
    return { dispose: () => this.#socket.off('data', read) };
  }

  #hand(callback: DataCallback): void {
    const message = this.#queue.shift();
    if (message === undefined || this.#socket.destroyed) {
      this.#queue = [];
      this.#socket.resume();
      return;
    }
    callback(message);
    setImmediate(() => this.#hand(callback));
  }
}

export class BoundedWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #socket: Socket;
  readonly #maxUnreadBytes: number;

  constructor(socket: Socket, maxUnreadBytes: number) {
    super();
    this.#socket = socket;
    this.#maxUnreadBytes = maxUnreadBytes;
    socket.on('close', () => this.fireClose());
  }

  /** Resolves once the message is handed to the socket. What cannot be delivered shows as the connection's end. */
  write(message: Message): Promise<void> {
    if (this.#socket.writable) this.#socket.write(toFrame(message));
    if (this.#socket.writableLength > this.#maxUnreadBytes) this.#socket.destroy();
    return Promise.resolve();
  }

  end(): void {
    this.#socket.end();
  }
}
