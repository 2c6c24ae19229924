/**
 * Messages on the wire, as JSON-RPC over a stream has them: `Content-Length: n`, an empty line, n bytes of JSON.
 * 1. A sender is never trusted: header and body are bounded, and anything but a JSON-RPC object ends the connection.
 * 2. Imports nothing, so that the guard stays small.
 */

/** The sender broke the format; there is no way to find the next message, so the connection ends. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

export interface FrameLimits {
  readonly maxHeaderBytes: number;
  readonly maxMessageBytes: number;
}

/** Checked to be a JSON object with `jsonrpc: "2.0"`, nothing more. */
export interface WireMessage {
  readonly jsonrpc: '2.0';
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const HEADER_END = '\r\n\r\n';
const LENGTH = /^content-length: *(\d{1,15})$/i;

/** One message, ready to be written. */
export function toFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${String(body.length)}${HEADER_END}`), body]);
}

/** Cuts a stream into messages. */
export class FrameReader {
  readonly #limits: FrameLimits;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes of the body that is awaited; null = the header is. */
  #body: number | null = null;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** The messages that `chunk` completes. Throws `FrameError`; the reader is useless afterwards. */
  take(chunk: Buffer): WireMessage[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const messages: WireMessage[] = [];
    for (let message = this.#next(); message !== null; message = this.#next()) messages.push(message);
    return messages;
  }

  #next(): WireMessage | null {
    this.#body ??= this.#readHeader();
    if (this.#body === null || this.#size < this.#body) return null;
    const text = this.#cut(this.#body).toString('utf8');
    this.#body = null;
    return parse(text);
  }

  #readHeader(): number | null {
    const { maxHeaderBytes, maxMessageBytes } = this.#limits;
    const head = this.#join();
    const end = head.subarray(0, maxHeaderBytes).indexOf(HEADER_END);
    if (end < 0) {
      if (head.length >= maxHeaderBytes) throw new FrameError(`no header within ${String(maxHeaderBytes)} bytes`);
      return null;
    }
    const lines = this.#cut(end + HEADER_END.length)
      .toString('latin1')
      .trimEnd()
      .split('\r\n');
    const lengths = lines.flatMap((line) => LENGTH.exec(line)?.[1] ?? []);
    if (lengths.length !== 1) throw new FrameError('a header needs exactly one Content-Length');
    const length = Number(lengths[0]);
    if (length > maxMessageBytes) {
      throw new FrameError(`a message of ${String(length)} bytes is over the limit of ${String(maxMessageBytes)}`);
    }
    return length;
  }

  #join(): Buffer {
    const joined = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    const whole = joined ?? Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  #cut(bytes: number): Buffer {
    const whole = this.#join();
    this.#chunks = [whole.subarray(bytes)];
    this.#size -= bytes;
    return whole.subarray(0, bytes);
  }
}

function parse(text: string): WireMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    throw new FrameError('a message is not JSON', { cause: error });
  }
  const object = typeof message === 'object' && message !== null && !Array.isArray(message);
  if (!object || (message as Partial<WireMessage>).jsonrpc !== '2.0')
    throw new FrameError('a message is not JSON-RPC 2.0');
  return message as WireMessage;
}
