/**
 * MCP over HTTP on the loopback address, for programs of this machine.
 * 1. Host and Origin are checked first, so that no page of the web reaches the tools through a browser.
 * 2. Each request proves its caller by a bearer token, before its body is read. The caller decides which tools there are.
 * 3. Bodies, connections and silence are bounded. No request outlives the server.
 */
import { once } from 'node:events';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  bearerAuthChallengeResponse,
  createMcpHandler,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
  type AuthInfo,
} from '@modelcontextprotocol/server';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MCP } from './policy.ts';
import { serverOf, type Served } from './serve.ts';

const LOOPBACK = '127.0.0.1';
const PATH = '/mcp';
const NOT_FOUND = 404;
const MS_PER_S = 1_000;

export interface HttpNeeds {
  /** 0 = any that is free. */
  readonly port: number;
  /** What the owner of this token is served; null = no caller of this town has it. */
  readonly servedTo: (token: string) => Promise<Served | null>;
}

export interface HttpServing {
  readonly url: string;
  /** Ends every connection and the port. */
  close(): Promise<void>;
}

/** Rejects with the system's error where the port cannot be opened. */
export async function serveHttp({ port, servedTo }: HttpNeeds): Promise<HttpServing> {
  const verifier = {
    async verifyAccessToken(token: string): Promise<AuthInfo> {
      const served = await servedTo(token);
      if (served === null)
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'the token belongs to no caller of this town');
      return { token, clientId: served.name, scopes: [], expiresAt: Date.now() / MS_PER_S + 1, extra: { served } };
    },
  };
  const handler = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.['served'] as Served), {
    maxRequestBodySize: MCP.maxBodyBytes,
  });
  const answer = toNodeHandler(handler, { maxRequestBodySize: MCP.maxBodyBytes });
  const isHost = localhostHostValidation();
  const isOrigin = localhostOriginValidation();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isHost(request, response) || !isOrigin(request, response)) return;
    if (request.url !== PATH) return void response.writeHead(NOT_FOUND, { connection: 'close' }).end();
    const auth = await verifyBearerToken(request.headers.authorization, { verifier }).catch(
      bearerAuthChallengeResponse,
    );
    if (auth instanceof Response) return refuse(response, auth);
    await answer(Object.assign(request, { auth }) as Parameters<typeof answer>[0], response);
  };
  const server = createServer(
    { headersTimeout: MCP.silentMs, requestTimeout: MCP.silentMs, connectionsCheckingInterval: MCP.silentMs / 2 },
    (request, response) => void serve(request, response).catch(() => response.destroy()),
  );
  server.maxConnections = MCP.maxConnections;
  server.listen({ port, host: LOOPBACK, exclusive: true });
  await once(server, 'listening');
  // A later error costs one caller its connection.
  server.on('error', () => undefined);
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}${PATH}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function refuse(response: ServerResponse, challenge: Response): Promise<void> {
  const headers = { ...Object.fromEntries(challenge.headers), connection: 'close' };
  response.writeHead(challenge.status, headers).end(await challenge.text());
}
