/** A server on the loopback that answers as it is told, and keeps what it got. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { whenOver } from '../world/over.ts';

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
    const server = createServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const part of request) body += String(part);
        self.got.push({ url: request.url ?? '', headers: request.headers, body });
        const { status = 200, body: text = '{"id":"1","ok":true}', headers = {}, afterMs = 0 } = self.answer;
        await pause(afterMs);
        response.writeHead(status, headers).end(text);
      })().catch(() => undefined); // The other side went away.
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    self.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    whenOver(() => {
      server.closeAllConnections();
      server.close();
    });
    return self;
  }

  /** The JSON bodies that it got. */
  get bodies(): Record<string, unknown>[] {
    return this.got.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }
}
