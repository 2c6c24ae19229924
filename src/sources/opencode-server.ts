/**
 * A client of the server that one opencode runs in itself, as seen with 1.18: HTTP on the loopback, behind a password. An answer of
 * another form, an error, or one that is too large is null.
 */
import { request, type RequestOptions } from 'node:http';
import type * as z from 'zod';
import type { Ms } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { SOURCES } from './policy.ts';

export interface OpencodeServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** What it says at a path. Never rejects; may take as long as `limitMs`. */
export async function readFrom<T>(
  server: OpencodeServer,
  path: string,
  form: z.ZodType<T>,
  limitMs: Ms = SOURCES.answerMs,
): Promise<T | null> {
  const answer = await ask(server, { path, method: 'GET', timeout: limitMs });
  if (answer?.status !== 200) return null;
  return form.safeParse(orNull(() => JSON.parse(answer.text) as unknown)).data ?? null;
}

/** The same for a look, which is not held up by it: its answer counts also when it comes late. */
export const hearFrom = <T>(server: OpencodeServer, path: string, form: z.ZodType<T>): Promise<T | null> =>
  readFrom(server, path, form, SOURCES.lateMs);

/** The status of its answer; null = none came, and whether it was done is unknown. Never rejects. */
export async function tellTo(server: OpencodeServer, path: string, body: object): Promise<number | null> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return (await ask(server, { path, method: 'POST', headers, timeout: SOURCES.answerMs }, text))?.status ?? null;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Asked = RequestOptions & { readonly timeout: Ms };

function ask({ host, port, user, password }: OpencodeServer, options: Asked, body = ''): Promise<Answer | null> {
  return new Promise((resolve) => {
    const none = (): void => resolve(null);
    const signal = AbortSignal.timeout(options.timeout);
    const call = request({ host, port, auth: `${user}:${password}`, signal, ...options }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > SOURCES.maxAnswerBytes) call.destroy();
        else chunks.push(chunk);
      });
      response.on('error', none);
      response.on('close', none);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    call.on('error', none);
    call.on('timeout', () => call.destroy());
    // No command waits for it at its end: only looks to come do.
    if (options.timeout > SOURCES.answerMs) call.on('socket', (socket) => socket.unref());
    call.end(body);
  });
}
