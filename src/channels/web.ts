/**
 * One request to a server that may be slow, flood or lie: its reply is read up to a bound, a redirect is none of ours to follow (it
 * would carry the token elsewhere), and no sentence about it holds the address, which may be a secret. By `node:http`: a stream that
 * floods costs `fetch` thirty megabytes more, for a parser that the engine compiles while it runs.
 */
import { request as overHttp, type IncomingMessage } from 'node:http';
import { request as overTls } from 'node:https';
import { span } from '../../machines/kernel/span.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { clean } from '../terminal/print.ts';
import { Undelivered } from './port.ts';

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** For a person, once it is cut and holds no secret. */
  readonly said: string;
}

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const SECOND = 1_000;
/** What is wrong with the message itself. All else that is refused may be the configuration, which a person mends. */
const FINAL = new Set([413, 422]);
const FIRST_OK = 200;
const FIRST_NOT_OK = 300;

interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  /** It is posted; null = nothing is. */
  readonly body: string | null;
}

/** The beginning of its answer. A connection of its own: one that was kept may be gone on the other side. Rejects with `Undelivered`. */
function answerOf(url: string, { headers, body }: Asked, signal: AbortSignal): Promise<IncomingMessage> {
  // Before it no word of a request is written, so that a server cannot have it.
  let isConnected = false;
  return new Promise<IncomingMessage>((resolve, reject) => {
    const method = body === null ? 'GET' : 'POST';
    const options = { method, headers: { 'user-agent': 'townwatch', ...headers }, agent: false, signal } as const;
    const isTls = new URL(url).protocol === 'https:';
    const made = isTls ? overTls(url, options) : overHttp(url, options);
    made
      .on('socket', (socket) => socket.once(isTls ? 'secureConnect' : 'connect', () => (isConnected = true)))
      .on('response', resolve)
      .on('error', reject)
      .end(body ?? undefined);
  }).catch((error: unknown) => {
    throw new Undelivered(reasonOf(error, signal), { isUnsure: isConnected });
  });
}

/** Rejects with `Undelivered` unless the server says 2xx. */
export async function post({ url, body, headers = {} }: Post, signal: AbortSignal): Promise<Reply> {
  const asked = { body, headers: { 'content-type': 'application/json', ...headers } };
  const response = await answerOf(url, asked, signal);
  const { statusCode: status = 0 } = response;
  const text = await beginningOf(response, signal);
  const said = clean(`HTTP ${String(status)}${text.trim() === '' ? '' : `: ${text.trim()}`}`);
  if (status >= FIRST_OK && status < FIRST_NOT_OK) return { status, text, said };
  throw new Undelivered(said, { isFinal: FINAL.has(status), retryMs: retryIn(response.headers['retry-after']) });
}

/** A reply that is not the server's own "taken". */
export function provedBy(reply: Reply, isTaken: boolean): string {
  if (isTaken) return reply.said;
  throw new Undelivered(`it answered, but not as this service does: ${reply.said}`);
}

export interface Stream {
  readonly headers: Readonly<Record<string, string>>;
  /** Without a word for so long the server counts as gone. */
  readonly silentMs: number;
  /** Characters of a line; a longer one is cut off unread. */
  readonly maxLine: number;
}

/** The lines of each part that comes, as long as the server sends. Rejects with `Undelivered`. */
export async function* streamOf(
  url: string,
  { headers, silentMs, maxLine }: Stream,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silentMs);
  try {
    const any = AbortSignal.any([signal, silence.signal]);
    const response = await answerOf(url, { headers, body: null }, any);
    if (response.statusCode !== FIRST_OK) {
      response.destroy();
      throw new Undelivered(`HTTP ${String(response.statusCode)} for the replies`);
    }
    response.setEncoding('utf8');
    let open = '';
    let isCut = false;
    for await (const part of response as AsyncIterable<string>) {
      timer.refresh();
      const rows = `${open}${part}`.split('\n');
      open = rows.pop() ?? '';
      // The first may be the end of one that was cut off.
      yield rows.slice(isCut ? 1 : 0).filter((row) => row.length <= maxLine);
      isCut = (isCut && rows.length === 0) || open.length > maxLine;
      if (isCut) open = '';
    }
  } catch (error) {
    if (silence.signal.aborted) throw new Undelivered(`it said nothing for ${span(silentMs)}`);
    throw error instanceof Undelivered ? error : new Undelivered(reasonOf(error, signal));
  } finally {
    clearTimeout(timer);
  }
}

function retryIn(header: string | undefined): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * SECOND : null;
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `it did not answer within ${span(CHANNELS.sendMs)}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '') return `the request failed (${error instanceof Error ? error.message : String(error)})`;
  return `the server cannot be reached (${code})`;
}

/** Up to a bound; the rest is cut off unread. */
async function beginningOf(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.byteLength;
      if (bytes >= CHANNELS.maxReplyBytes) break;
    }
  } catch (error) {
    throw new Undelivered(reasonOf(error, signal), { isUnsure: true });
  }
  return Buffer.concat(parts).subarray(0, CHANNELS.maxReplyBytes).toString('utf8');
}

/** The object in a reply; empty where it is none. */
export function objectIn({ text }: Pick<Reply, 'text'>): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
