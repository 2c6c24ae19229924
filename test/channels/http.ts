/** A web server on the loopback, until the test is over. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenOver } from '../world/over.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Its address. A request that cannot be served is cut off. */
export async function httpAt(serve: Serve): Promise<string> {
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenOver(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request) body += String(part);
  return body;
}
