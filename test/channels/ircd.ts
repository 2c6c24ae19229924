/** Real ngircds on the loopback, their services, and people in their channel. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tempFolder, whenOver } from '../world/over.ts';

const WAIT_MS = 60_000;
const TRY_MS = 10_000;
const LOOK_MS = 20;
export const PASSWORD = 'opensesame';

/** Also for programs that are no test. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string, ms = WAIT_MS): Promise<void> {
  for (const end = Date.now() + ms; !(await isSo());) {
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await pause(LOOK_MS);
  }
}

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

export const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', end(true)).on('error', end(false));
  });

/** A connection that says these lines first, and keeps what it hears. */
export class Line {
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

  /** Behind all that it said. */
  end(): void {
    this.#socket.end();
  }

  say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  async hears(text: string, ms?: number): Promise<void> {
    await until(() => this.heard.join('\n').includes(text), `${text} in ${this.heard.join('\n')}`, ms);
  }
}

interface Server {
  readonly port: number;
  readonly name?: string;
  /** Further sections of its configuration. */
  readonly more?: string;
}

/** Once it listens. */
async function serve({ port, name = 'irc.example', more = '' }: Server): Promise<ChildProcess> {
  const file = join(tempFolder('ircd'), 'ngircd.conf');
  const global = `[Global]\nName = ${name}\nInfo = test\nListen = 127.0.0.1\nPorts = ${port}\nPassword = ${PASSWORD}\n`;
  const services = `[Server]\nName = services.example\nMyPassword = ours\nPeerPassword = theirs\n`;
  const options = '[Limits]\nMaxConnectionsIP = 0\nConnectRetry = 5\n[Options]\nDNS = no\nIdent = no\nPAM = no\n';
  writeFileSync(file, `${global}${options}${services}${more}`);
  const server = spawn('ngircd', ['-n', '-f', file], { stdio: 'ignore' });
  whenOver(() => server.kill('SIGKILL'));
  await until(() => isOpen(port), `a server at ${String(port)}`);
  return server;
}

/** The port of a server that runs. */
export async function ircd(): Promise<number> {
  const port = await freePort();
  await serve({ port });
  return port;
}

/** A key, and a certificate of it that it signed itself, as PEM: for `subject`, on this host. */
export function pairIn(folder: string, subject: string) {
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', subject, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...names];
  execFileSync('openssl', [...made, '-days', '2', '-keyout', keyFile, '-out', certificateFile], { stdio: 'ignore' });
  chmodSync(keyFile, 0o644);
  return {
    keyFile,
    certificateFile,
    key: readFileSync(keyFile, 'utf8'),
    certificate: readFileSync(certificateFile, 'utf8'),
  };
}

/** The port at which a server speaks TLS, and its certificate, which it signed itself for this host. */
export async function tlsIrcd(): Promise<{ readonly port: number; readonly certificate: string }> {
  const { certificateFile, keyFile, certificate } = pairIn(tempFolder('ircd-tls'), '/CN=irc.example');
  const port = await freePort();
  const more = `[SSL]\nCertFile = ${certificateFile}\nKeyFile = ${keyFile}\nPorts = ${port}\n`;
  await serve({ port: await freePort(), more });
  return { port, certificate };
}

const link = (name: string, how: string): string =>
  `[Server]\nName = ${name}\nHost = 127.0.0.1\nMyPassword = link\nPeerPassword = link\n${how}\n`;

/** Two servers of one network, which a netsplit takes apart until they are joined again. */
export async function network() {
  const [near, far] = [await freePort(), await freePort()];
  const start = () => serve({ port: far, name: 'far.example', more: link('irc.example', 'Passive = yes') });
  let server = await start();
  await serve({ port: near, more: link('far.example', `Port = ${far}`) });
  const join = async (): Promise<void> => {
    server = await start();
  };
  return { near, far, split: () => void server.kill('SIGKILL'), join };
}

/** In the channel. ngircd leaves some connections without a word that come while it links with another server: they come again. */
export async function person(port: number, nick: string): Promise<Line> {
  for (;;) {
    const reader = new Line(port, `PASS ${PASSWORD}`, `NICK ${nick}`, 'USER x 0 * :x', 'JOIN #town');
    const isIn = await reader.hears(' 366 ', TRY_MS).then(
      () => true,
      () => false,
    );
    if (isIn) return reader;
    reader.end();
  }
}

/** Services say that this nick is logged in to this account, as Anope does. */
export async function logIn(port: number, nick: string, account: string): Promise<void> {
  const services = new Line(port, 'PASS ours 0210-IRC+ services|1:CHLMSX', 'SERVER services.example 1 :services');
  services.say(':services.example 376 irc.example :End of MOTD');
  await services.hears(`NICK ${nick}`);
  services.say(`:services.example METADATA ${nick} accountname :${account}`);
  services.end();
}
