/**
 * The inspector's port on the loopback address: the stock `@statelyai/inspect` protocol over WebSocket, and /healthz.
 * Loaded only when it is opened: a town without it pays nothing.
 * 1. Host and Origin are checked before anything is answered, and the token before anything of the town is sent;
 *    /healthz asks for none, since nothing but ages, limits and fixed words stands in it.
 * 2. Connections, their requests and their silence are bounded.
 */
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { InspectionEvent } from 'xstate';
import { nameless, type HealthView } from './health.ts';
import { Hub, type HubNeeds } from './hub.ts';
import { Pass, refusal } from './origin.ts';

export interface Inspector {
  readonly port: number;
  /** Of the stream, with the token that opens it: for the operator alone. */
  readonly url: string;
  /** For the tree: takes the root's inspection events. Never throws. */
  observe(event: InspectionEvent): void;
  /** Ends every connection and the port. */
  close(): Promise<void>;
}

export interface InspectorNeeds extends HubNeeds {
  /** null = the town is not there yet. */
  readonly health: () => HealthView | null;
}

const LOOPBACK = '127.0.0.1';
const WHERE = '`town up --inspect` prints its URL';
/** Connections besides the viewers': health checks, and pages on their way. */
const MORE_CONNECTIONS = 16;

const CODES = { ok: 200, badMethod: 405, forbidden: 403, notFound: 404, upgrade: 426, late: 503 } as const;

/** Opens the port. Rejects when it is taken. */
export async function openInspector(needs: InspectorNeeds): Promise<Inspector> {
  const { policy, complain } = needs;
  const hub = new Hub(needs);
  const pass = new Pass();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: policy.maxFrameBytes,
  });
  const server = createServer(
    {
      headersTimeout: policy.silentMs,
      requestTimeout: policy.silentMs,
      connectionsCheckingInterval: policy.silentMs / 2,
      keepAliveTimeout: 1,
    },
    (request, response) => answer(request, response, needs),
  );
  server.maxConnections = policy.maxViewers + MORE_CONNECTIONS;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Its errors stay its own: a connection that breaks here is no viewer yet.
    socket.on('error', () => undefined);
    const why = refusal(request.headers);
    if (why !== null) refuse(socket, CODES.forbidden, why);
    else if (!pass.admits(request.url)) refuse(socket, CODES.forbidden, `the token is missing or wrong: ${WHERE}`);
    else if (hub.viewers >= policy.maxViewers) refuse(socket, CODES.late, `there are ${policy.maxViewers} viewers`);
    else sockets.handleUpgrade(request, socket, head, (viewer) => hub.join(viewer));
  });
  try {
    server.listen({ port: policy.port, host: LOOPBACK, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    hub.close();
    throw error;
  }
  // A later error (EMFILE on accept) costs one viewer its connection.
  server.on('error', (error) => complain(`inspector: ${error.message}`));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `ws://${LOOPBACK}:${port}${pass.path}`,
    observe: (event) => hub.observe(event),
    close: async () => {
      hub.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, { health }: InspectorNeeds): void {
  const why = refusal(request.headers);
  const path = request.url?.split('?', 1)[0];
  if (why !== null) write(response, CODES.forbidden, why);
  else if (request.method !== 'GET' && request.method !== 'HEAD') write(response, CODES.badMethod, 'only GET');
  else if (path === '/healthz') {
    const view = health();
    const data = view && nameless(view);
    write(response, data?.well === true ? CODES.ok : CODES.late, JSON.stringify({ schema: 'health/1', data }));
  } else if (path === '/') write(response, CODES.upgrade, `connect a WebSocket of @statelyai/inspect: ${WHERE}`);
  else write(response, CODES.notFound, `there is /healthz, and a WebSocket: ${WHERE}`);
}

function write(response: ServerResponse, code: number, text: string): void {
  const type = text.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8';
  response.writeHead(code, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(code === CODES.upgrade && { upgrade: 'websocket' }),
    connection: 'close',
  });
  response.end(`${text}\n`);
}

function refuse(socket: Duplex, code: number, why: string): void {
  const head = [`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}`, 'Connection: close', 'Content-Type: text/plain'];
  socket.end([...head, `Content-Length: ${Buffer.byteLength(why) + 1}`, '', `${why}\n`].join('\r\n'));
}
