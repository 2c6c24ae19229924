/** A server on the loopback that answers as it is told, and keeps what it got. */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { bodyOf, httpAt } from './http.ts';

export interface Got {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** It says nothing before. */
  readonly afterMs?: number;
}

export class WebServer {
  readonly got: Got[] = [];
  answer: Answer = {};
  url = '';

  static async start(answer: Answer = {}): Promise<WebServer> {
    const self = new WebServer();
    self.answer = answer;
    self.url = await httpAt(async (request, response) => {
      self.got.push({ url: request.url ?? '', headers: request.headers, body: await bodyOf(request) });
      const { status = 200, body: text = '{"id":"1","ok":true}', headers = {}, afterMs = 0 } = self.answer;
      await pause(afterMs);
      response.writeHead(status, headers).end(text);
    });
    return self;
  }

  /** The JSON bodies that it got. */
  get bodies(): Record<string, unknown>[] {
    return this.got.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }
}
