/** Messages in a channel of a real ngircd: who else is there, and who refuses. */
import { connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { CHANNELS } from '../../../machines/channels/policy.ts';
import type { Message } from '../../../src/channels/message.ts';
import { channelOf } from '../../../src/channels/make.ts';
import type { ChannelSettings } from '../../../src/channels/settings.ts';
import { whenOver } from '../../world/over.ts';
import { freePort, ircd, listenAt, person, tlsIrcd } from '../ircd.ts';
import { ask, channelsWith, message } from '../make.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const saying = (text: string): Message => message({ title: 'town needs you', text, type: ['town answer 12 yes'] });

const at = (port: number, more: Partial<ChannelSettings['irc']> = {}) => {
  const irc = { server: '127.0.0.1', port, channel: '#town', tls: false, password: 'opensesame', ...more };
  const channel = channelOf('irc', channelsWith({ irc }));
  return (text: string, limitMs = 10_000): Promise<string> => channel.send(saying(text), AbortSignal.timeout(limitMs));
};

test('who is in the channel reads it, also where the nick is in use; no word of it is a command', async () => {
  const port = await ircd();
  const ana = await person(port, 'ana');
  await person(port, 'townwatch');
  expect(await at(port)('builder asks\nQUIT :evil')).toBe('#town has it');
  await vi.waitFor(() => expect(ana.heard.filter((row) => row.includes('PRIVMSG #town'))).toHaveLength(3), WAIT);
  const spoken = ana.heard.filter((row) => row.includes('PRIVMSG')).map((row) => row.replace(/^:(\S+)!\S+ /, '$1 '));
  expect(spoken).toEqual([
    'townwatc1 PRIVMSG #town :town needs you: builder asks',
    'townwatc1 PRIVMSG #town :QUIT :evil',
    'townwatc1 PRIVMSG #town :$ town answer 12 yes',
  ]);
});

// Rules: A-3.
test('what a question is about is said whole, also where the text before it is cut', async () => {
  const port = await ircd();
  const ana = await person(port, 'ana');
  const shows = ['{', ...Array.from({ length: 18 }, (_, nth) => `command ${String(nth)} ${'é'.repeat(20)}`), '&&'];
  const asked = { ...ask(), shows };
  const text = [...Array.from({ length: 20 }, () => 'a row of the text'), ...shows].join('\n');
  const irc = { server: '127.0.0.1', port, channel: '#town', tls: false, password: 'opensesame' };
  const rules = [{ from: 'irc:ana', kinds: ['permission'], options: ['*'], tag: null }];
  const channel = channelOf('irc', channelsWith({ irc }), { rules, key: '' });
  await channel.send({ ...saying(text), ask: asked }, AbortSignal.timeout(60_000));
  await vi.waitFor(() => expect(ana.heard.join('\n')).toContain('To answer, say'), WAIT);
  const spoken = ana.heard.filter((row) => row.includes('PRIVMSG')).map((row) => row.replace(/^.*?#town :/, ''));
  expect(spoken.join('')).toContain(shows.join(' ⏎ '));
  expect(spoken.filter((row) => row.includes('a row of the text'))).toHaveLength(4);
}, 90_000);

test('a wrong password, a channel that is shut, and no server are failures that say why', async () => {
  const port = await ircd();
  await expect(at(port, { password: 'wrongword' })('x')).rejects.toThrow(/refused|closed/);
  await expect(at(port, { channel: '#no such' })('x')).rejects.toThrow('no name of a channel');
  await expect(at(await freePort())('x')).rejects.toThrow('ECONNREFUSED');
  await expect(at(port, { tls: true })('x', 3_000)).rejects.toThrow(); // It speaks no TLS there.
});

test('a server that floods, is silent or hangs up has taken nothing', async () => {
  const floods = await listenAt((socket) => socket.write('x'.repeat(10_000_000)));
  await expect(at(floods)('x')).rejects.toThrow('too much');
  await expect(at(await listenAt())('x', 300)).rejects.toThrow('in time');
  await expect(at(await listenAt((socket) => socket.destroy()))('x')).rejects.toThrow();
});

/** The port of a wire to a real server, which is cut once these words went over it to the server. */
async function wireTo(port: number, words: string): Promise<number> {
  return listenAt((near) => {
    const far = connect(port, '127.0.0.1');
    far.on('error', () => undefined).on('data', (chunk) => near.write(chunk));
    let said = '';
    near
      .on('close', () => far.end())
      .on('data', (chunk) => {
        said += String(chunk);
        far.write(chunk, () => {
          if (said.includes(words)) near.destroy();
        });
      });
  });
}

test('cut off behind its words it does not know whether the server has them, and before them it knows that it has not', async () => {
  const port = await ircd();
  const ana = await person(port, 'ana');
  const behind = at(await wireTo(port, 'PING town-'))('builder asks');
  await expect(behind).rejects.toMatchObject({ name: 'Undelivered', isUnsure: true });
  await ana.hears('builder asks');
  const before = at(await wireTo(port, 'JOIN #town'))('nothing');
  await expect(before).rejects.toMatchObject({ name: 'Undelivered', isUnsure: false });
  expect(ana.heard.join('\n')).not.toContain('nothing');
});

test.each([
  ['a server that throws it out behind its words may have them', 'ERROR :Closing Link', true],
  ['one that refuses them has not', '404 townwatch #town :Cannot send to channel', false],
])('%s', async (_, row, isUnsure) => {
  const port = await listenAt((socket) => {
    socket.on('data', (chunk) => {
      for (const said of String(chunk).split('\r\n')) {
        if (said.startsWith('USER')) socket.write(':irc 001 townwatch :hi\r\n');
        if (said.startsWith('JOIN')) socket.write(':irc 366 townwatch #town :End\r\n');
        if (said.startsWith('PRIVMSG')) socket.write(`:irc ${row}\r\n`);
      }
    });
  });
  await expect(at(port)('x')).rejects.toMatchObject({ isUnsure });
});

test('a long text is six lines at most, each short enough for any server; the lines to type stay whole', async () => {
  const port = await ircd();
  const ana = await person(port, 'ana');
  await at(port)('ü'.repeat(CHANNELS.maxText));
  const spoken = (): string[] => ana.heard.filter((row) => row.includes('PRIVMSG'));
  await vi.waitFor(() => expect(spoken()).toHaveLength(6), WAIT);
  expect(ana.heard.every((row) => Buffer.byteLength(row) <= 510)).toBe(true);
  expect(spoken().at(-2)).toMatch(/ü …$/);
  expect(spoken().at(-1)).toMatch(/:\$ town answer 12 yes$/);
});

test('it speaks once it is in its own channel, however that is written, and not at the names of another', async () => {
  const said: string[] = [];
  let early = -1;
  const port = await listenAt((socket) => {
    socket.on('data', (chunk) => {
      const rows = String(chunk).split('\r\n');
      said.push(...rows.filter((row) => row.startsWith('PRIVMSG')));
      for (const row of rows) {
        if (row.startsWith('USER')) socket.write(':irc 001 townwatch :hi\r\n');
        // A server that puts each newcomer into a channel of its own.
        if (row.startsWith('JOIN')) {
          socket.write(':irc 366 townwatch #welcome :End of NAMES\r\n');
          setTimeout(() => {
            early = said.length;
            socket.write(':irc 366 townwatch #Town :End of NAMES\r\n');
          }, 100);
        }
        if (row.startsWith('PING')) socket.write(`:irc PONG irc :${row.slice(5)}\r\n`);
      }
    });
  });
  expect(await at(port)('x')).toBe('#town has it');
  expect(early).toBe(0);
  expect(said).toEqual(['PRIVMSG #town :town needs you: x', 'PRIVMSG #town :$ town answer 12 yes']);
});

test('it has a limit of its own', () => {
  expect(channelOf('irc', channelsWith({})).limitMs).toBe(60_000);
});

test('a certificate that no one vouches for is refused before a word; one that is known is taken for its own host', async () => {
  const { port, certificate } = await tlsIrcd();
  const secure = at(port, { tls: true });
  await expect(secure('x')).rejects.toThrow(/self-signed certificate.*NODE_EXTRA_CA_CERTS/);
  const usual = getCACertificates();
  setDefaultCACertificates([...usual, certificate]);
  whenOver(() => setDefaultCACertificates(usual));
  expect(await secure('x')).toBe('#town has it');
  await expect(at(port, { tls: true, server: 'localhost' })('x')).rejects.toThrow(/altnames/);
});
