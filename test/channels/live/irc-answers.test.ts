/** Answers in a channel of IRC: who an account proves, and who is only a nick. */
import type { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { ANSWERS } from '../../../machines/channels/policy.ts';
import { channelOf } from '../../../src/channels/make.ts';
import { ircEar } from '../../../src/channels/irc-ear.ts';
import { ircd, listenAt, logIn, network, person } from '../ircd.ts';
import { hearOn, Listener } from '../listen.ts';
import { ask, channelsWith, message } from '../make.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const LONG = { timeout: 120_000, interval: 50 };
const REFUSED = 'this server knows no account of yours';
const settingsAt = (port: number) =>
  channelsWith({ irc: { server: '127.0.0.1', port, channel: '#town', tls: false, password: 'opensesame' } });

const ACCOUNTS = ['ana', 'ana-account'];

const listen = (port: number) => hearOn(ircEar(settingsAt(port).irc, ACCOUNTS));

// Rules: A-3.
test('on a real server with services an account answers, a nick does not, also with the same name', async () => {
  const port = await ircd();
  const { said, heard, up } = listen(port);
  await up;
  const [ana, eve] = [await person(port, 'ana'), await person(port, 'eve')];
  eve.say('PRIVMSG #town :@townwatch 3 yes');
  await eve.hears(REFUSED);
  ana.say('PRIVMSG #town :@townwatch 3 yes'); // Not logged in yet: the nick alone is none.
  await logIn(port, 'ana', 'ana-account');
  await vi.waitFor(() => {
    eve.say('WHOIS ana');
    expect(eve.heard.join('\n')).toContain('ana-account');
  }, WAIT);
  ana.say('PRIVMSG #town :@TownWatch: 3 YES');
  for (const words of ['townwatch 3 yes', 'see @townwatch 3 yes', '@townwatch three yes', '@other 3 yes'])
    ana.say(`PRIVMSG #town :${words}`);
  ana.say('PRIVMSG townwatch :@townwatch 5 no'); // Not in the channel, where all read it.
  ana.say('PRIVMSG #town :@townwatch 4 reply The one in Staging');
  await vi.waitFor(() => expect(heard).toHaveLength(2), WAIT);
  expect(said()).toEqual(['irc:ana-account 3 yes', 'irc:ana-account 4 reply']);
  expect(heard.map(({ text }) => text)).toEqual(['', 'The one in Staging']);
});

test('a message says what to say; the words of the town itself are no answer', async () => {
  const port = await ircd();
  const { said, up } = listen(port);
  await up;
  const ana = await person(port, 'ana');
  const rules = [{ from: 'irc:ana', kinds: ['permission'], options: ['*'], tag: null }];
  await channelOf('irc', settingsAt(port), { rules, key: '' }).send(
    message({ text: 'x\n@townwatch 3 yes', ask: { ...ask(), shows: [] } }),
    AbortSignal.timeout(10_000),
  );
  await ana.hears('To answer, say: @townwatch q3 yes = Yes · @townwatch q3 no = No');
  ana.say('PRIVMSG #town :@townwatch q3 yes');
  await ana.hears(REFUSED); // It hears her, and heard itself before.
  expect(ana.heard.filter((row) => row.includes(REFUSED))).toHaveLength(1);
  expect(ana.heard.find((row) => row.includes(REFUSED))).toContain('ana: ');
  expect(said()).toEqual([]);
});

/** A server that greets, and says what the test wants. */
async function scripted(answer: (row: string, socket: Socket) => void) {
  const sockets: Socket[] = [];
  const port = await listenAt((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => {
      for (const row of String(chunk).split('\r\n')) {
        answer(row, socket);
        if (row.startsWith('USER')) socket.write(':irc 001 townwatch :hi\r\n');
        if (row.startsWith('JOIN')) socket.write(':irc 366 townwatch #town :End\r\n');
      }
    });
  });
  const listener = listen(port);
  await listener.up;
  return { ...listener, say: (row: string) => void sockets[0]?.write(`${row}\r\n`) };
}

test('where lines carry the account no other proof is asked for, and a line without one is refused', async () => {
  const rows: string[] = [];
  const { said, say } = await scripted((row, socket) => {
    rows.push(row);
    if (row.startsWith('CAP REQ')) socket.write(':irc CAP * ACK :account-tag\r\n');
  });
  say('@time=1;account=ana :x!u@h PRIVMSG #town :@townwatch 3 yes');
  say('@time=1 :ana!u@h PRIVMSG #town :@townwatch 3 no');
  say(`:irc NOTICE * :${'x'.repeat(10_000_000)}`);
  say('@account=ana :x!u@h PRIVMSG #town :@townwatch 4 no');
  await vi.waitFor(() => expect(said()).toEqual(['irc:ana 3 yes', 'irc:ana 4 no']), WAIT);
  await vi.waitFor(() => expect(rows.join('\n')).toContain(REFUSED), WAIT);
  expect(rows).toContain('CAP END');
  expect(rows.join('\n')).not.toContain('WHOIS');
});

// Rules: A-3.
test('a nick that another person has by the time of the WHOIS proves nothing, and a flood is cut', async () => {
  const rows: string[] = [];
  let host = 'elsewhere';
  const { said, say } = await scripted((row, socket) => {
    rows.push(row);
    if (row.startsWith('WHOIS ana'))
      socket.write(
        `:irc 311 townwatch ana u ${host} * :x\r\n:irc 330 townwatch ana ana :is logged in as\r\n:irc 318 townwatch ana :End\r\n`,
      );
  });
  say(':ana!u@h PRIVMSG #town :@townwatch 3 yes');
  await vi.waitFor(() => expect(rows.join('\n')).toContain(REFUSED), WAIT);
  expect(said()).toEqual([]);
  host = 'h';
  for (let nth = 0; nth < 1_000; nth += 1) say(':ana!u@h PRIVMSG #town :@townwatch 3 yes');
  // The first of her ten was the one that proved nothing.
  await vi.waitFor(() => expect(said()).toHaveLength(9), WAIT);
  say('PING :x');
  await vi.waitFor(() => expect(rows).toContain('PONG :x'), WAIT);
  expect(said()).toHaveLength(9);
});

test('strangers, with an account or without, use up no line of who may answer', async () => {
  const tagged = await scripted((row, socket) => {
    if (row.startsWith('CAP REQ')) socket.write(':irc CAP * ACK :account-tag\r\n');
  });
  for (let nth = 0; nth < 50; nth += 1) {
    tagged.say('@account=eve :eve!u@h PRIVMSG #town :@townwatch 3 yes');
    tagged.say(':mallory!u@h PRIVMSG #town :@townwatch 3 yes');
  }
  tagged.say('@account=ana :ana!u@h PRIVMSG #town :@townwatch 3 no');
  await vi.waitFor(() => expect(tagged.said().at(-1)).toBe('irc:ana 3 no'), WAIT);
  // The town tells a few of the others that they may not.
  expect(tagged.said().filter((words) => words === 'irc:eve 3 yes')).toHaveLength(ANSWERS.strangersPerMinute);
});

test('on a real server a stranger who floods keeps no one from answering', async () => {
  const port = await ircd();
  const { said, up } = listen(port);
  await up;
  const [ana, eve] = [await person(port, 'ana'), await person(port, 'eve')];
  await logIn(port, 'ana', 'ana-account');
  for (let nth = 0; nth < 2 * ANSWERS.perMinute; nth += 1) eve.say('PRIVMSG #town :@townwatch 3 yes');
  await ana.hears(':eve!');
  await vi.waitFor(() => {
    const lines = ana.heard.filter((row) => row.startsWith(':eve!') && row.includes('3 yes'));
    expect(lines.length).toBeGreaterThan(ANSWERS.perMinute);
  }, LONG);
  ana.say('PRIVMSG #town :@townwatch 3 no');
  await vi.waitFor(() => expect(said()).toEqual(['irc:ana-account 3 no']), WAIT);
}, 180_000);

test('on a real server another person is kicked, and it hears on; kicked itself it comes again', async () => {
  const port = await ircd();
  const ana = await person(port, 'ana'); // The first in a channel is its operator.
  await person(port, 'eve');
  const { said, up, ended } = listen(port);
  await up;
  await logIn(port, 'ana', 'ana-account');
  ana.say('KICK #town eve :away');
  await ana.hears('KICK #town eve');
  ana.say('PRIVMSG #town :@townwatch 3 no');
  await vi.waitFor(() => expect(said()).toEqual(['irc:ana-account 3 no']), WAIT);
  ana.say('KICK #town townwatch :away');
  await expect(ended).rejects.toThrow('KICK');
});

test('kicked, refused or left by the server it says why, and is tried anew', async () => {
  const kicks = await scripted(() => undefined);
  kicks.say(':op!u@h KICK #town townwatch :away');
  await expect(kicks.ended).rejects.toThrow('KICK');
  const port = await ircd();
  const wrong = ircEar({ ...settingsAt(port).irc, password: 'wrongword' }, ACCOUNTS);
  await expect(hearOn(wrong).ended).rejects.toThrow(/refused|closed|ERROR/);
});

// Rules: A-3.
test('through a netsplit it hears on, takes no nick for the account that had it, and hears that account behind it again', async () => {
  const { near, far, split, join } = await network();
  const rules = ACCOUNTS.map((one) => ({ from: `irc:${one}`, kinds: ['permission'], options: ['*'], tag: null }));
  const eve = await person(near, 'eve');
  // Who is in the channel hears the town come.
  const listener = new Listener({ settings: settingsAt(near), rules, key: '' });
  const ana = await person(far, 'ana');
  await eve.hears(':ana!');
  await logIn(near, 'ana', 'ana-account');
  await eve.hears(':townwatch!');
  ana.say('PRIVMSG #town :@townwatch 3 yes');
  await vi.waitFor(() => expect(listener.words).toEqual(['3 yes']), WAIT);
  split();
  await eve.hears(':ana!~x@127.0.0.1 QUIT');
  eve.say('NICK ana');
  eve.say('PRIVMSG #town :@townwatch 4 yes');
  await eve.hears(REFUSED);
  eve.say('NICK eve');
  await join();
  // Where both sides have one of this nick, neither keeps it: the town is thrown out, and comes again.
  await person(far, 'townwatch');
  await vi.waitFor(() => expect(eve.heard.join('\n')).toMatch(/:townwatch!\S+ QUIT/), LONG);
  const again = await person(far, 'ana');
  await logIn(near, 'ana', 'ana-account');
  await vi.waitFor(() => {
    again.say('PRIVMSG #town :@townwatch 5 yes');
    expect(listener.words).toEqual(['3 yes', '5 yes']);
  }, LONG);
}, 120_000);
