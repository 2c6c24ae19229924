/** How a connection to an IRC server logs in to an account. */
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { channelOf } from '../../../src/channels/make.ts';
import { ircEar } from '../../../src/channels/irc-ear.ts';
import { tempFolder, whenOver } from '../../world/over.ts';
import { ircd, listenAt, pairIn } from '../ircd.ts';
import { hearOn } from '../listen.ts';
import { services } from '../services.ts';
import { channelsWith, message } from '../make.ts';

const settingsAt = (port: number) =>
  channelsWith({ irc: { server: '127.0.0.1', port, channel: '#town', tls: false, password: 'opensesame' } });

const SASL = { sasl: 'town', saslPassword: 'hunter22' };

/** A server with SASL that takes this proof alone. */
const withSasl =
  (proof: string) =>
  (row: string, socket: Socket): void => {
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    if (row === 'CAP REQ :sasl') say(':irc CAP * ACK :sasl');
    if (row === 'CAP REQ :account-tag') say(':irc CAP * NAK :account-tag');
    if (row === 'AUTHENTICATE PLAIN') say('AUTHENTICATE +');
    else if (row.startsWith('AUTHENTICATE')) say(row === `AUTHENTICATE ${proof}` ? ':irc 903 * :ok' : ':irc 904 * :no');
    if (row === 'CAP END') say(':irc 001 townwatch :hi');
    if (row.startsWith('JOIN')) say(':irc 366 townwatch #town :End');
    if (row.startsWith('PING')) say(`:irc PONG irc :${row.slice(5)}`);
  };

test('with an account it says nothing before the server has taken that', async () => {
  const rows: string[] = [];
  const answer = withSasl(Buffer.from('\0town\0hunter22').toString('base64'));
  const port = await listenAt((socket) => {
    socket.on('data', (chunk) => {
      for (const row of String(chunk).split('\r\n')) {
        rows.push(row);
        answer(row, socket);
      }
    });
  });
  const at = (more: object): ReturnType<typeof settingsAt> =>
    channelsWith({ irc: { ...settingsAt(port).irc, password: null, ...SASL, ...more } });
  const send = (more: object): Promise<string> =>
    channelOf('irc', at(more)).send(message(), AbortSignal.timeout(5_000));
  expect(await send({})).toBe('#town has it');
  expect(rows.indexOf('CAP END')).toBeGreaterThan(
    rows.findIndex((row) => row.startsWith('AUTHENTICATE dA') || row.startsWith('AUTHENTICATE AH')),
  );
  rows.length = 0;
  await expect(send({ saslPassword: 'wrong' })).rejects.toThrow('the server refused the account');
  await expect(send({ saslPassword: null })).rejects.toThrow('[irc] sasl_password is not set');
  expect(rows.join('\n')).not.toContain('PRIVMSG');
  const { up, stop, ended } = hearOn(ircEar(at({}).irc, []));
  await up;
  stop.abort();
  await expect(ended).rejects.toThrow();
  // A real server without services.
  const plain = await ircd();
  const lacks = channelsWith({ irc: { ...settingsAt(plain).irc, ...SASL } });
  await expect(channelOf('irc', lacks).send(message(), AbortSignal.timeout(5_000))).rejects.toThrow('offers no SASL');
});

// Rules: A-3.
test('at a real server with services a password or a certificate logs in, another one does not, and each line carries its account', async () => {
  const { port, tlsPort, certificate, register } = await services();
  const usual = getCACertificates();
  setDefaultCACertificates([...usual, certificate]);
  whenOver(() => setDefaultCACertificates(usual));
  const [own, other] = [pairIn(tempFolder('own'), '/CN=town'), pairIn(tempFolder('other'), '/CN=other')];
  await register('town', SASL.saslPassword, own.certificate);
  const ana = await register('ana', 'annas-secret');
  ana.say('JOIN #town');
  await ana.hears(' 366 ');
  const at = (more: object) =>
    channelsWith({ irc: { ...settingsAt(port).irc, password: null, sasl: 'town', ...more } });
  const send = (more: object): Promise<string> =>
    channelOf('irc', at(more)).send(message(), AbortSignal.timeout(20_000));
  expect(await send({ saslPassword: SASL.saslPassword })).toBe('#town has it');
  await expect(send({ saslPassword: 'wrong' })).rejects.toThrow('the server refused the account');
  const secure = { port: tlsPort, tls: true };
  expect(await send({ ...secure, certificate: own.certificate + own.key })).toBe('#town has it');
  await expect(send({ ...secure, certificate: other.certificate + other.key })).rejects.toThrow('refused the account');
  await expect(send({ ...secure, sasl: 'ana', certificate: own.certificate + own.key })).rejects.toThrow(
    'logs in to the account town',
  );
  await expect(send({ certificate: own.certificate + own.key })).rejects.toThrow('needs tls = true');
  await expect(send({ ...secure, certificate: 'none' })).rejects.toThrow('no certificate with its key');
  expect(ana.heard.filter((row) => row.includes('PRIVMSG #town'))).toHaveLength(2);
  const { up, said } = hearOn(ircEar(at({ ...secure, certificate: own.certificate + own.key }).irc, ['ana']));
  await up;
  ana.say('PRIVMSG #town :@townwatch 3 yes');
  await vi.waitFor(() => expect(said()).toEqual(['irc:ana 3 yes']), { timeout: 20_000 });
}, 60_000);
