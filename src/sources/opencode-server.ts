/**
 * A client of the server that one opencode runs in itself, as seen with 1.18: HTTP on the loopback, behind a password. An answer of
 * another form, an error, or one that is too large is null.
 */
import { request, type RequestOptions } from 'node:http';
import type * as z from 'zod';
import { orNull } from '../../state/files/or-null.ts';
import { SOURCES } from './policy.ts';

export interface Door {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** What it says at a path. Never rejects; may take as long as `SOURCES.answerMs`. */
export async function readFrom<T>(door: Door, path: string, form: z.ZodType<T>): Promise<T | null> {
  const answer = await ask(door, { path, method: 'GET' });
  if (answer?.status !== 200) return null;
  return form.safeParse(orNull(() => JSON.parse(answer.text) as unknown)).data ?? null;
}

/** The status of its answer; null = none came, and whether it was done is unknown. Never rejects. */
export async function tellTo(door: Door, path: string, body: object): Promise<number | null> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return (await ask(door, { path, method: 'POST', headers }, text))?.status ?? null;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function ask({ host, port, user, password }: Door, options: RequestOptions, body = ''): Promise<Answer | null> {
  return new Promise((resolve) => {
    const none = (): void => resolve(null);
    const limits = { timeout: SOURCES.answerMs, signal: AbortSignal.timeout(SOURCES.answerMs) };
    const call = request({ host, port, auth: `${user}:${password}`, ...limits, ...options }, (response) => {
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
    call.end(body);
  });
}
