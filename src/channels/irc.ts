/**
 * Messages in a channel of an IRC server. Each opens a connection, joins, speaks and quits, so that none has to be kept alive
 * through netsplits. A message counts as delivered once the server answers a PING that was sent behind it. It hears nothing here: answers
 * are heard by a connection of their own (irc-ear.ts).
 */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { askName, channelOfCaller, optionsFor } from '../../machines/channels/answers.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { meaningOf, type Message } from './message.ts';
import { Undelivered, type Channel, type Replying } from './port.ts';
import { Login, otherNick } from './irc-login.ts';
import { mustBe, wholeOf } from './secrets.ts';
import { IRC_NICK, type ChannelSettings } from './settings.ts';

/** A line has 512 bytes with its command; so many are left for words on every server. */
const MAX_LINE_BYTES = 400;
/** Servers slow down who sends more at once. */
const MAX_LINES = 6;

const CHANNEL = /^[#&+!][^\s,:]{1,49}$/;

export const WELCOME = '001';
/** A server without words for its first page refuses nothing. */
const NO_MOTD = '422';
/** The end of the names in a channel; some servers put each newcomer into one of their own too. */
export const JOINED = '366';

const ROW = /^(?:@(\S+) +)?(?::(\S+) +)?(\S+) ?(.*)$/;
export interface Row {
  readonly tags: string;
  /** `nick!user@host`, or a server's name. */
  readonly source: string;
  readonly command: string;
  readonly rest: string;
}

type Settings = ChannelSettings['irc'];

export const irc = (settings: Settings, replying: Replying): Channel => ({
  limitMs: CHANNELS.ircMs,
  send: async (message, signal) => {
    // The connection that hears answers has the nick, and a server makes one wait who asks for it too.
    const isHeard = replying.rules.some(({ from }) => channelOfCaller(from) === 'irc');
    const speaks = isHeard ? { ...settings, nick: otherNick(settings.nick, 1) } : settings;
    const socket = dial(settings);
    try {
      return await talk(socket, speaks, { lines: linesOf(message, settings, replying), signal });
    } finally {
      socket.destroy();
    }
  },
});

/** A connection that is being made. Throws `Undelivered` for what the configuration lacks. */
export function dial({ server, port, channel, nick, tls, certificate }: Settings): Socket {
  if (!CHANNEL.test(mustBe(channel, '[irc] channel'))) throw new Undelivered('[irc] channel is no name of a channel');
  if (!IRC_NICK.test(nick)) throw new Undelivered('[irc] nick is no name of a user');
  const to = { host: mustBe(server, '[irc] server'), port };
  const own = wholeOf(certificate, '[irc] certificate');
  if (own !== null && !tls) throw new Undelivered('[irc] certificate needs tls = true');
  if (!tls) return connect(to);
  const name = isIP(to.host) === 0 ? { servername: to.host } : {};
  try {
    return connectTls({ ...to, ...name, ...(own !== null && { cert: own, key: own }) });
  } catch (error) {
    if (own === null) throw error;
    throw new Undelivered('[irc] certificate is no certificate with its key, as PEM');
  }
}

/** Of a certificate that no authority which Node knows vouches for. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

/** Why a connection failed, and how a person trusts a certificate of their own. */
export const failureOf = ({ message, code = '' }: NodeJS.ErrnoException): string =>
  UNTRUSTED.test(code)
    ? `${message}; to trust it, start the town with NODE_EXTRA_CA_CERTS=<file with that certificate>`
    : message;

/** Whether the end of names is that of this channel. */
export const isIn = (channel: string | null, rest: string): boolean =>
  rest.split(' ')[1]?.toLowerCase() === channel?.toLowerCase();

/** What to say for each answer, in one line. */
function answersIn({ ask }: Message, { nick }: Settings, { rules }: Replying): string[] {
  if (ask === null) return [];
  const words = optionsFor('irc', ask, rules).map(
    (one) => `@${nick} ${askName(ask.number)} ${one.word} ${meaningOf(one)}`,
  );
  return words.length === 0 ? [] : [`To answer, say: ${words.join(' · ')}`];
}

/**
 * No word of a message is a command: a line holds no break. What is too much is cut from the text. What a question is about stays whole,
 * in few lines, and so does what to type.
 */
function linesOf(message: Message, settings: Settings, replying: Replying): string[] {
  const { title, text, type } = message;
  const all = `${title}: ${text}`.split('\n');
  const asked = message.ask?.shows ?? [];
  all.splice(all.length - asked.length);
  const rows = all.flatMap((row) => cut(row));
  const typed = [...type.map((one) => `$ ${one}`), ...answersIn(message, settings, replying)].flatMap(cut);
  const room = Math.max(1, MAX_LINES - typed.length);
  const isShort = rows.length <= room;
  const said = rows.slice(0, room).map((row, nth) => (isShort || nth < room - 1 ? row : `${row} …`));
  return [...said, ...cut(asked.join(' ⏎ ')), ...typed];
}

function cut(row: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const letter of row.replace(/[\r\0]/g, '')) {
    if (Buffer.byteLength(line + letter) > MAX_LINE_BYTES) {
      lines.push(line);
      line = '';
    }
    line += letter;
  }
  return line.trim() === '' ? lines : [...lines, line];
}

interface Speech {
  readonly lines: readonly string[];
  readonly signal: AbortSignal;
}

function talk(socket: Socket, settings: Settings, { lines, signal }: Speech): Promise<string> {
  const channel = settings.channel ?? '';
  const token = `town-${String(Date.now())}`;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  /** Once it spoke the server may have its words, until it says so or refuses them. */
  let hasSpoken = false;
  const hear = (login: Login, command: string, rest: string): string | null => {
    if (command === 'PING') say(`PONG ${rest}`);
    else if (login.hear(command, rest)) return null;
    else if (command === WELCOME) say(`JOIN ${channel}`);
    else if (command === JOINED && isIn(channel, rest)) {
      hasSpoken = true;
      for (const line of [...lines.map((one) => `PRIVMSG ${channel} :${one}`), `PING ${token}`]) say(line);
    } else if (command === 'PONG' && rest.includes(token)) return `${channel} has it`;
    else if (command === 'ERROR') throw new Undelivered(`the server refused: ${rest}`, { isUnsure: hasSpoken });
    else if (/^[45]\d\d$/.test(command) && command !== NO_MOTD) throw new Undelivered(`the server refused: ${rest}`);
    return null;
  };
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Undelivered(why, { isUnsure: hasSpoken }));
    signal.addEventListener('abort', () => fail('the server did not answer in time'), { once: true });
    let done: string | null = null;
    const end = (why: string): void => (done === null ? fail(why) : resolve(done));
    socket.on('error', (error) => end(failureOf(error)));
    socket.on('close', () => end('the server closed the connection'));
    const login = new Login(settings, [], say);
    const take = ({ command, rest }: Row): void => {
      done ??= hear(login, command, rest);
      // It has the message then, also where it hears no QUIT any more.
      if (done !== null) socket.end('QUIT\r\n', () => end(''));
    };
    onRows(socket, take, reject);
    // More than a talk needs.
    socket.on('data', () => socket.bytesRead > CHANNELS.maxReplyBytes && fail('the server sends too much'));
  });
}

/** Each row that came whole; one that is too long is cut off unread. `failed`: of what `hear` throws. */
export function onRows(socket: Socket, hear: (row: Row) => void, failed: (error: Error) => void): void {
  let open = '';
  let isCut = false;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const rows = `${open}${chunk}`.split(/\r?\n/);
    open = rows.pop() ?? '';
    for (const one of rows) {
      const [, tags = '', source = '', command = '', rest = ''] = ROW.exec(one.slice(0, CHANNELS.maxIrcRow)) ?? [];
      try {
        if (!isCut) hear({ tags, source, command, rest });
      } catch (error) {
        failed(error instanceof Error ? error : new Error(String(error)));
      }
      isCut = false;
    }
    if (open.length <= CHANNELS.maxIrcRow) return;
    open = '';
    isCut = true;
  });
}
