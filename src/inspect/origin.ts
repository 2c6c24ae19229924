/**
 * Who may come in. The port is bound to the loopback address; Host and Origin keep out pages of the web that reach it through
 * a person's browser: a foreign page has a foreign Origin, and a name made to point here (DNS rebinding) a foreign Host. Other
 * users of this machine, and pages that they serve, are kept out by a token: every local user reaches every local port.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** A name and a port, and nothing else that a URL may hold. The port may be a tunnel's, so any is right. */
const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\/(.+)$/i;

function isLoopback(host: string): boolean {
  return LOOPBACK.has(HOST.exec(host)?.[1]?.toLowerCase() ?? '');
}

/** Why these headers are refused, as a sentence; null = they may come in. */
export function refusal({ host, origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>): string | null {
  if (host === undefined || !isLoopback(host)) return 'the Host is no name of the loopback address: use 127.0.0.1';
  if (origin === undefined) return null;
  const from = ORIGIN.exec(origin)?.[1];
  return from !== undefined && isLoopback(from) ? null : 'the Origin is no page of this machine';
}

const TOKEN_BYTES = 32;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** What only who was given the URL of the stream knows; of one opening of the port. In no log, journal or file. */
export class Pass {
  readonly path = `/${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  readonly #digest = digest(this.path);

  /** Takes as long for every wrong one. */
  admits(url: string | undefined): boolean {
    return timingSafeEqual(digest(url?.split('?', 1)[0] ?? ''), this.#digest);
  }
}
