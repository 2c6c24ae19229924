/** A real ngircd on the loopback, its services, and people in its channel. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { tempFolder, whenOver } from '../world/over.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const PASSWORD = 'opensesame';

/** The port of a server that answers each connection so. */
export async function listenAt(answer: (socket: Socket) => void = () => undefined): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    answer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenOver(() => server.close());
  return (server.address() as AddressInfo).port;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A connection that says these lines first, and keeps what it hears. */
class Line {
  readonly heard: string[] = [];
  readonly #socket: Socket;

  constructor(port: number, ...first: string[]) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        for (const row of String(chunk).split('\r\n')) {
          if (row.startsWith('PING')) this.say(`PONG ${row.slice(5)}`);
          if (row !== '') this.heard.push(row);
        }
      });
    for (const line of first) this.say(line);
    whenOver(() => this.#socket.destroy());
  }

  say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  async hears(text: string): Promise<void> {
    await vi.waitFor(() => expect(this.heard.join('\n')).toContain(text), WAIT);
  }
}

/** The port of a server that runs. */
export async function ircd(): Promise<number> {
  const port = await freePort();
  const file = join(tempFolder('ircd'), 'ngircd.conf');
  const global = `[Global]\nName = irc.example\nInfo = test\nListen = 127.0.0.1\nPorts = ${port}\nPassword = ${PASSWORD}\n`;
  const services = `[Server]\nName = services.example\nMyPassword = ours\nPeerPassword = theirs\n`;
  const options = '[Limits]\nMaxConnectionsIP = 0\n[Options]\nDNS = no\nIdent = no\nPAM = no\n';
  writeFileSync(file, `${global}${options}${services}`);
  const server = spawn('ngircd', ['-n', '-f', file], { stdio: 'ignore' });
  whenOver(() => server.kill('SIGKILL'));
  await vi.waitFor(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  }, WAIT);
  return port;
}

export async function person(port: number, nick: string): Promise<Line> {
  const reader = new Line(port, `PASS ${PASSWORD}`, `NICK ${nick}`, 'USER x 0 * :x', 'JOIN #town');
  await reader.hears(' 366 ');
  return reader;
}

/** Services say that this nick is logged in to this account, as Anope does. */
export async function logIn(port: number, nick: string, account: string): Promise<void> {
  const services = new Line(port, 'PASS ours 0210-IRC+ services|1:CHLMSX', 'SERVER services.example 1 :services');
  services.say(':services.example 376 irc.example :End of MOTD');
  await services.hears(`NICK ${nick}`);
  services.say(`:services.example METADATA ${nick} accountname :${account}`);
}
