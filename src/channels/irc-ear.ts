/**
 * Hears answers in a channel of an IRC server: `@townwatch q3 yes`. It stays there as long as the connection stands.
 * 1. A nick is no identity. The account of who speaks is what the server says: in the tag of the very line (`account-tag`), else by WHOIS
 *    of the same nick, user and host. Where the server knows no account nothing is answered, and the channel is told why.
 * 2. The town's own words, which another connection says, are no answers.
 * 3. A line under the nick of an agent is a sign of that agent, and no more: it gives no answer and no work.
 */
import type { Nick } from '../../machines/channels/answers.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { dial, failureOf, isIn, JOINED, onRows, WELCOME, type Row } from './irc.ts';
import { IrcLimits } from './irc-limits.ts';
import { Login, USER } from './irc-login.ts';
import { IrcPages } from './irc-pages.ts';
import { Undelivered, type Ear, type Heard, type Listening, type Mention } from './port.ts';
import type { ChannelSettings } from './settings.ts';
import { clean } from '../terminal/print.ts';

type Settings = ChannelSettings['irc'];
type Socket = ReturnType<typeof dial>;

const NAME = 'irc';
/** The server says in each line who is logged in. */
const TAGS = 'account-tag';
const WHOIS_USER = '311';
const WHOIS_ACCOUNT = '330';
const WHOIS_END = '318';
const NO_SUCH_NICK = '401';
const WORDS = /^@(\S{1,40}?)[:,]? +q?(\d{1,9}) +(\S{1,20})(?: +(\S.*))?$/i;
/** Work for an agent: `@builder look at the tests`. */
const MENTION = /^@(\S{1,100}?)[:,]? +(\S.*)$/;

/** Who is in the channel beside those who may answer. */
export interface Crew {
  readonly nicks: readonly Nick[];
  /** Accounts that may give work to agents. */
  readonly givers: readonly string[];
}
const NO_CREW: Crew = { nicks: [], givers: [] };

/** What could be an answer, or work. */
type Words = Pick<Heard, 'number' | 'word' | 'text'> | Pick<Mention, 'to' | 'text'>;
interface Speaker {
  readonly source: string;
  readonly said: Words;
}

const nickOf = (source: string): string => source.split('!', 1)[0] ?? '';
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** `accounts`: of those who may answer. */
export function ircEar(settings: Settings, accounts: readonly string[], crew: Crew = NO_CREW): Ear {
  const pages = new IrcPages(settings.channel ?? '');
  return {
    now: () => '0',
    page: (page) => pages.page(page),
    listen: async (how) => {
      const socket = dial(settings);
      try {
        return await new Visit({ settings, how, limits: new IrcLimits(accounts), crew, pages }, socket).run();
      } finally {
        socket.destroy();
        pages.leave('the connection ended');
      }
    },
  };
}

interface VisitNeeds {
  readonly settings: Settings;
  readonly how: Listening;
  readonly limits: IrcLimits;
  readonly crew: Crew;
  readonly pages: IrcPages;
}

class Visit {
  readonly #settings: Settings;
  readonly #how: Listening;
  readonly #socket: Socket;
  readonly #limits: IrcLimits;
  readonly #crew: Crew;
  readonly #pages: IrcPages;
  #login: Login | null = null;
  /** Its own, as the server calls it. */
  #nick = '';
  /** Who is asked about now, and what the server said of them. */
  #asked: {
    readonly source: string;
    readonly said: readonly Speaker[];
    isSame: boolean;
    account: string | null;
  } | null = null;
  /** What they said, by who said it: one question to the server is for all of it. */
  readonly #waiting = new Map<string, Speaker[]>();
  /** Whether the channel was told about accounts in this minute. */
  #isTold = false;
  #heard = Promise.resolve();

  constructor({ settings, how, limits, crew, pages }: VisitNeeds, socket: Socket) {
    this.#settings = settings;
    this.#how = how;
    this.#limits = limits;
    this.#crew = crew;
    this.#pages = pages;
    this.#socket = socket;
  }

  async run(): Promise<never> {
    const pings = setInterval(() => {
      this.#say('PING :townwatch');
      this.#limits.begin();
      [this.#isTold, this.#asked] = [false, null]; // a server that answers no WHOIS holds up none that follow
      this.#next();
    }, ANSWERS.minuteMs);
    try {
      return await new Promise<never>((_, reject) => {
        const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
        const leave = (why: string): void => fail(new Undelivered(why));
        this.#how.signal.addEventListener('abort', () => leave('the town ends'), { once: true });
        this.#socket
          .setTimeout(ANSWERS.silentMs, () => leave('the server is silent'))
          .on('error', (error) => leave(failureOf(error)))
          .on('close', () => leave('the server closed the connection'));
        onRows(this.#socket, (row) => this.#hear(row, fail), fail);
        this.#login = new Login(this.#settings, [TAGS], (line) => this.#say(line));
      });
    } finally {
      clearInterval(pings);
    }
  }

  #say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  #hear(row: Row, fail: (error: unknown) => void): void {
    const { command, rest } = row;
    const { channel } = this.#settings;
    this.#learnNick(row);
    if (this.#pages.hear(command, rest)) return;
    if (command === 'PING') this.#say(`PONG ${rest}`);
    else if (this.#login?.hear(command, rest) === true) return;
    else if (command === WELCOME) this.#say(`JOIN ${channel ?? ''}`);
    else if (command === JOINED && isIn(channel, rest)) this.#enter();
    else if (command === 'ERROR' || (command === 'KICK' && isSame(rest.split(' ')[1] ?? '', this.#nick)))
      throw new Undelivered(`the server sent ${command}: ${rest}`);
    else if (/^4(?:0[345]|6[45]|7\d)$/.test(command)) throw new Undelivered(`the server refused: ${rest}`);
    else if (command === 'PRIVMSG') this.#listen(row, fail);
    else if (this.#asked !== null) this.#learn(command, rest, fail);
  }

  #enter(): void {
    this.#pages.enter((line) => this.#say(line));
    this.#how.up();
  }

  /** The server may give it another one than it asked for. */
  #learnNick({ command, source, rest }: Row): void {
    if (command === WELCOME) this.#nick = rest.split(' ', 1)[0] ?? '';
    if (command === 'NICK' && isSame(nickOf(source), this.#nick)) this.#nick = rest.replace(/^:/, '');
  }

  #listen({ tags, source, rest }: Row, fail: (error: unknown) => void): void {
    const at = rest.indexOf(' :');
    const isHere = at > 0 && isSame(rest.slice(0, at), this.#settings.channel ?? '');
    if (!isHere || new RegExp(`!~?${USER}@`).test(source)) return;
    const words = clean(rest.slice(at + 2)).trim();
    const speaks = this.#crew.nicks.find(({ nick }) => isSame(nick, nickOf(source)));
    if (speaks !== undefined) {
      // An agent's client may use the account of a person: its line is neither an answer nor work.
      if (this.#limits.maySpeak(speaks.agent)) this.#how.spoke({ agent: speaks.agent, text: words });
      return;
    }
    const said = this.#wordsIn(words);
    if (said === null) return;
    const speaker = { source, said };
    if (this.#login?.agreed.has(TAGS) === true) {
      const [, account = null] = /(?:^|;)account=([^;]+)/.exec(tags) ?? [];
      this.#take(speaker, account, fail);
    } else if (this.#limits.mayAsk(source)) {
      this.#waiting.set(source, [...(this.#waiting.get(source) ?? []), speaker]);
      this.#next();
    }
  }

  /** null = neither an answer nor work. */
  #wordsIn(words: string): Words | null {
    const [, nick = '', number, word = '', more = ''] = WORDS.exec(words) ?? [];
    const [, to = '', text] = MENTION.exec(words) ?? [];
    if (isSame(to, this.#settings.nick))
      return number === undefined || !isSame(nick, to)
        ? null
        : { number: Number(number), word: word.toLowerCase(), text: more };
    return text === undefined || this.#crew.givers.length === 0 ? null : { to, text };
  }

  /** One WHOIS at a time: its answers name a nick, and that may change between two. */
  #next(): void {
    if (this.#asked !== null) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [source, said] = first;
    this.#waiting.delete(source);
    this.#asked = { source, said, isSame: false, account: null };
    this.#say(`WHOIS ${nickOf(source)}`);
  }

  #learn(command: string, rest: string, fail: (error: unknown) => void): void {
    const asked = this.#asked;
    const [, nick = '', first = '', second = ''] = rest.split(' ');
    if (asked === null || !isSame(nick, nickOf(asked.source))) return;
    // Another person may have the nick by now.
    if (command === WHOIS_USER) asked.isSame = asked.source === `${nick}!${first}@${second}`;
    if (command === WHOIS_ACCOUNT) asked.account = first;
    if (command !== WHOIS_END && command !== NO_SUCH_NICK) return;
    this.#asked = null;
    for (const one of asked.said) this.#take(one, asked.isSame ? asked.account : null, fail);
    this.#next();
  }

  #take({ source, said }: Speaker, account: string | null, fail: (error: unknown) => void): void {
    const id = `${NAME}/${process.getBuiltinModule('node:crypto').randomUUID()}`;
    if ('to' in said) {
      // Others talk to each other there: the town has nothing to say to that.
      if (account === null || !this.#crew.givers.includes(account) || !this.#limits.mayAnswer(account)) return;
      const mention = { id, from: `${NAME}:${account}`, ...said };
      this.#heard = this.#heard.then(() => this.#how.mentioned(mention)).catch(fail);
      return;
    }
    if (account === null) {
      if (this.#isTold) return;
      this.#isTold = true;
      const why =
        'this server knows no account of yours, and a nick alone answers nothing: log in to its services first';
      return this.#say(`PRIVMSG ${this.#settings.channel ?? ''} :${nickOf(source)}: ${why}`);
    }
    if (!this.#limits.mayAnswer(account)) return;
    const heard = { id, from: `${NAME}:${account}`, ...said, proof: null };
    this.#heard = this.#heard.then(() => this.#how.hear('0', heard)).catch(fail);
  }
}
