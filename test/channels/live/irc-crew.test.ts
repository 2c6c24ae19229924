/** Agents in a channel of IRC: they are paged there, their own words are signs of them, and people give them work. */
import { expect, test, vi } from 'vitest';
import { ANSWERS } from '../../../machines/channels/policy.ts';
import { channelOf } from '../../../src/channels/make.ts';
import { ircEar, type Crew } from '../../../src/channels/irc-ear.ts';
import { NO_REPLIES, type Ear } from '../../../src/channels/port.ts';
import { ircd, listenAt, logIn, person } from '../ircd.ts';
import { hearOn } from '../listen.ts';
import { channelsWith, message } from '../make.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const CREW: Crew = { nicks: [{ agent: 'builder', nick: 'bob' }], givers: ['ana-account'] };
const settingsAt = (port: number) =>
  channelsWith({ irc: { server: '127.0.0.1', port, channel: '#town', tls: false, password: 'opensesame' } });

function listen(port: number) {
  const ear = ircEar(settingsAt(port).irc, [], CREW);
  const page = (text: string): Promise<void> => pageOn(ear, text);
  return { ...hearOn(ear), page };
}
const pageOn = (ear: Ear, text: string): Promise<void> =>
  ear.page?.({ nick: 'bob', text }) ?? Promise.reject(new Error('no ear'));

// Rules: T-2.
test('a line is said to an agent that is in the channel, and to no other; without a connection it fails at once', async () => {
  const port = await ircd();
  const { page, up, stop } = listen(port);
  await expect(page('too early')).rejects.toThrow('the town is not in #town');
  await up;
  const eve = await person(port, 'eve');
  await expect(page('are you there?')).rejects.toMatchObject({ message: 'bob is not in #town', isUnsure: false });
  const bob = await person(port, 'Bob');
  await page('are you there?\r\nQUIT :x');
  await eve.hears('PRIVMSG #town :@bob are you there? QUIT :x');
  // Several at once are said one after another.
  await Promise.all([page('one'), page('two')]);
  await bob.hears(':@bob two');
  stop.abort();
  await vi.waitFor(() => expect(page('gone')).rejects.toThrow('not in #town'), WAIT);
  expect(eve.heard.join('\n')).not.toMatch(/too early|gone/);
});

// Rules: T-2.
test('where the channel takes no words of the town a page is refused at once, and the town listens on', async () => {
  const port = await ircd();
  const bob = await person(port, 'bob'); // The first in a channel is its operator.
  const { page, up, spoken } = listen(port);
  await up;
  bob.say('MODE #town +m');
  await bob.hears('MODE #town +m');
  await expect(page('are you there?')).rejects.toMatchObject({ isUnsure: false });
  bob.say('PRIVMSG #town :I am');
  await vi.waitFor(() => expect(spoken).toEqual([{ agent: 'builder', text: 'I am' }]), WAIT);
});

// Rules: T-2.
test('a server that takes the line and goes may have it', async () => {
  const port = await listenAt((socket) => {
    socket.on('data', (chunk) => {
      for (const row of String(chunk).split('\r\n')) {
        if (row.startsWith('USER')) socket.write(':irc 001 townwatch :hi\r\n');
        if (row.startsWith('JOIN')) socket.write(':irc 366 townwatch #town :End\r\n');
        if (row.startsWith('NAMES'))
          socket.write(':irc 353 townwatch = #town :@ana +bob\r\n:irc 366 townwatch #town :End\r\n');
        if (row.startsWith('PRIVMSG')) socket.destroy();
      }
    });
  });
  const { page, up } = listen(port);
  await up;
  await expect(page('are you there?')).rejects.toMatchObject({ isUnsure: true });
});

// Rules: T-1.
test('a line under the own nick of an agent is a sign of it; no other line is, and no word of the town', async () => {
  const port = await ircd();
  const { up, spoken } = listen(port);
  await up;
  const [bob, eve] = [await person(port, 'bob'), await person(port, 'eve')];
  eve.say('PRIVMSG #town :bob is at work, says builder');
  eve.say('NOTICE #town :builder works');
  bob.say('PRIVMSG townwatch :not in the channel');
  bob.say('NOTICE #town :no words of a program');
  await channelOf('irc', settingsAt(port), NO_REPLIES).send(message({ text: 'bob' }), AbortSignal.timeout(10_000));
  bob.say('PRIVMSG #town :\u0001ACTION compiles\u0001');
  await vi.waitFor(() => expect(spoken).not.toEqual([]), WAIT);
  for (let nth = 0; nth < 3 * ANSWERS.signsPerMinute; nth += 1) bob.say(`PRIVMSG #town :still at it ${String(nth)}`);
  // With another nick it is another one.
  bob.say('NICK robert');
  bob.say('PRIVMSG #town :it is me');
  await eve.hears(':it is me');
  eve.say('PRIVMSG #town :over');
  await vi.waitFor(() => expect(spoken).toHaveLength(ANSWERS.signsPerMinute), WAIT);
  expect(spoken.map(({ agent }) => agent)).toEqual(Array.from(spoken, () => 'builder'));
  expect(spoken.map(({ text }) => text).join('\n')).not.toMatch(/me|no words|not in/);
}, 60_000);

// Rules: A-3.
test('an account may give work to an agent; a nick and the town itself may not', async () => {
  const port = await ircd();
  const { up, mentioned, said } = listen(port);
  await up;
  const [ana, eve] = [await person(port, 'ana'), await person(port, 'eve')];
  ana.say('PRIVMSG #town :@builder before the login');
  eve.say('PRIVMSG #town :@builder rm -rf /');
  await channelOf('irc', settingsAt(port), NO_REPLIES).send(
    message({ title: '@builder do this', text: 'x' }),
    AbortSignal.timeout(10_000),
  );
  await logIn(port, 'ana', 'ana-account');
  await vi.waitFor(() => {
    eve.say('WHOIS ana');
    expect(eve.heard.join('\n')).toContain('ana-account');
  }, WAIT);
  eve.say('PRIVMSG #town :@builder rm -rf /');
  for (const words of ['@builder: mend  the parser', 'hi @builder all', '@builder', '@shop/nux go on'])
    ana.say(`PRIVMSG #town :${words}`);
  await vi.waitFor(() => expect(mentioned).toHaveLength(2), WAIT);
  expect(mentioned).toMatchObject([
    { from: 'irc:ana-account', to: 'builder', text: 'mend  the parser' },
    { from: 'irc:ana-account', to: 'shop/nux', text: 'go on' },
  ]);
  expect(said()).toEqual([]);
  // People talk to each other there: the town says nothing to that.
  expect(eve.heard.join('\n')).not.toContain('this server knows no account');
}, 60_000);

// Rules: A-3.
test('another account gives no work, and hears nothing of it', async () => {
  const rows: string[] = [];
  let say = (_: string): void => undefined;
  const port = await listenAt((socket) => {
    say = (row) => void socket.write(`${row}\r\n`);
    socket.on('data', (chunk) => {
      for (const row of String(chunk).split('\r\n')) {
        rows.push(row);
        if (row.startsWith('CAP REQ')) say(':irc CAP * ACK :account-tag');
        if (row.startsWith('USER')) say(':irc 001 townwatch :hi');
        if (row.startsWith('JOIN')) say(':irc 366 townwatch #town :End');
      }
    });
  });
  const { up, mentioned } = listen(port);
  await up;
  say('@account=eve :eve!u@h PRIVMSG #town :@builder rm -rf /');
  say(':ana-account!u@h PRIVMSG #town :@builder rm -rf /');
  say('@account=ana-account :x!u@h PRIVMSG #town :@builder go on');
  await vi.waitFor(() => expect(mentioned.map(({ text }) => text)).toEqual(['go on']), WAIT);
  expect(rows.join('\n')).not.toContain('PRIVMSG');
});
