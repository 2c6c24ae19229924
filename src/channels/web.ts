/**
 * One request to a server that may be slow, flood or lie: its reply is read up to a bound, a redirect is none of ours to follow (it
 * would carry the token elsewhere), and no sentence about it holds the address, which may be a secret.
 */
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

/** Rejects with `Undelivered` unless the server says 2xx. */
export async function post({ url, body, headers = {} }: Post, signal: AbortSignal): Promise<Reply> {
  let response: Response;
  try {
    const json = { 'content-type': 'application/json', 'user-agent': 'townwatch' };
    response = await fetch(url, { method: 'POST', body, headers: { ...json, ...headers }, redirect: 'manual', signal });
  } catch (error) {
    throw new Undelivered(reasonOf(error, signal), { isUnsure: true });
  }
  const { status } = response;
  const text = await beginningOf(response, signal);
  const said = clean(`HTTP ${String(status)}${text.trim() === '' ? '' : `: ${text.trim()}`}`);
  if (status >= FIRST_OK && status < FIRST_NOT_OK) return { status, text, said };
  throw new Undelivered(said, { isFinal: FINAL.has(status), retryMs: retryIn(response.headers.get('retry-after')) });
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

/** Each line that the server sends, as long as it does. Rejects with `Undelivered`. */
export async function* streamOf(
  url: string,
  { headers, silentMs, maxLine }: Stream,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silentMs);
  try {
    const any = AbortSignal.any([signal, silence.signal]);
    const init = { headers: { 'user-agent': 'townwatch', ...headers }, redirect: 'manual' as const, signal: any };
    const response = await fetch(url, init);
    if (response.status !== FIRST_OK || response.body === null)
      throw new Undelivered(`HTTP ${String(response.status)} for the replies`);
    const decoder = new TextDecoder();
    let open = '';
    let isCut = false;
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      timer.refresh();
      const rows = `${open}${decoder.decode(chunk, { stream: true })}`.split('\n');
      open = rows.pop() ?? '';
      for (const row of rows) {
        if (!isCut && row.length <= maxLine) yield row;
        isCut = false;
      }
      if (open.length <= maxLine) continue;
      open = '';
      isCut = true;
    }
  } catch (error) {
    if (error instanceof Undelivered) throw error;
    throw new Undelivered(silence.signal.aborted ? `it said nothing for ${span(silentMs)}` : reasonOf(error, signal));
  } finally {
    clearTimeout(timer);
  }
}

function retryIn(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * SECOND : null;
}

/** Node hides what the system said in the cause. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `it did not answer within ${span(CHANNELS.sendMs)}`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === '' ? 'the request failed' : `the server cannot be reached (${code})`;
}

async function beginningOf(response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < CHANNELS.maxReplyBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      bytes += value.byteLength;
    }
  } catch (error) {
    throw new Undelivered(reasonOf(error, signal), { isUnsure: true });
  } finally {
    await reader.cancel().catch(() => undefined);
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
