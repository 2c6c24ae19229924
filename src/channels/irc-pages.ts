/**
 * Says a line to an agent in the channel of IRC, over the connection that listens there. A line counts as said once the server answers a
 * PING that was sent behind it. Where the agent's nick is not in the channel nothing is said.
 */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { Serial } from '../../state/files/serial.ts';
import { isIn, JOINED } from './irc.ts';
import { Undelivered, type Page } from './port.ts';

interface Open {
  readonly page: Page;
  /** In lower case. */
  readonly names: Set<string>;
  readonly token: string;
  /** The server may have it, until it says so or refuses it. */
  isSaid: boolean;
  readonly end: PromiseWithResolvers<void>;
}

const NAMES = '353';
/** Signs before a nick: what its user may do in the channel. */
const RANK = /^[~&@%+!.*]+/;

export class IrcPages {
  readonly #channel: string;
  readonly #serial = new Serial();
  #say: ((line: string) => void) | null = null;
  #open: Open | null = null;
  #pages = 0;

  constructor(channel: string) {
    this.#channel = channel;
  }

  /** The town is in the channel, and says lines so. */
  enter(say: (line: string) => void): void {
    this.#say = say;
  }

  /** The connection is over. */
  leave(why: string): void {
    this.#say = null;
    this.#fail(why);
  }

  /** Rejects with `Undelivered`. */
  page(page: Page): Promise<void> {
    return this.#serial.run(async () => {
      const say = this.#say;
      if (say === null) throw new Undelivered(`the town is not in ${this.#channel}`);
      this.#pages += 1;
      const token = `page-${String(this.#pages)}`;
      const open: Open = { page, names: new Set(), token, isSaid: false, end: Promise.withResolvers() };
      this.#open = open;
      const late = setTimeout(() => this.#fail('the server did not answer in time'), CHANNELS.sendMs);
      say(`NAMES ${this.#channel}`);
      await open.end.promise.finally(() => {
        clearTimeout(late);
        this.#open = null;
      });
    });
  }

  /** Whether the line was about a page alone. */
  hear(command: string, rest: string): boolean {
    const open = this.#open;
    if (open === null) return false;
    if (open.isSaid) return this.#hearEnd(open, command, rest);
    const at = rest.indexOf(' :');
    if (command === NAMES && isIn(this.#channel, rest.slice(rest.indexOf(' ') + 1)))
      for (const name of rest.slice(at + 2).split(' ')) open.names.add(name.replace(RANK, '').toLowerCase());
    if (command === JOINED && isIn(this.#channel, rest)) this.#sayTo(open);
    return false;
  }

  #sayTo(open: Open): void {
    const { nick, text } = open.page;
    if (!open.names.has(nick.toLowerCase())) return this.#fail(`${nick} is not in ${this.#channel}`);
    open.isSaid = true;
    this.#say?.(`PRIVMSG ${this.#channel} :@${nick} ${text.replace(/[\r\n\0]+/g, ' ')}`);
    this.#say?.(`PING :${open.token}`);
  }

  /** A channel may take no words of the town (404), and lets it listen all the same. */
  #hearEnd(open: Open, command: string, rest: string): boolean {
    const isOver = command === 'PONG' && rest.includes(open.token);
    if (isOver) open.end.resolve();
    const isRefusal = /^[45]\d\d$/.test(command) && isIn(this.#channel, rest);
    if (isRefusal) open.end.reject(new Undelivered(`the server refused: ${rest}`));
    return isOver || isRefusal;
  }

  #fail(why: string): void {
    this.#open?.end.reject(new Undelivered(why, { isUnsure: this.#open.isSaid }));
  }
}
