/**
 * How a connection to an IRC server begins: what it wants of the server (CAP), who it is (SASL), and a nick that is free. Where an account
 * is configured nothing is said before the server has taken it.
 */
import { Undelivered } from './port.ts';
import { mustBe, secretOf } from './secrets.ts';
import type { ChannelSettings } from './settings.ts';

type Settings = ChannelSettings['irc'];

const MAX_NICKS = 4;
/** A longer one would need several lines. */
const MAX_SASL = 399;
const WELCOME = '001';
const ACCOUNT = '900';
const LOGGED_IN = '903';
const NOT_LOGGED_IN = new Set(['902', '904', '905', '906', '908']);
const NICK_IN_USE = new Set(['433', '436', '437']);
const SASL = 'sasl';

/** The user name of each of the town's connections, which stays when a nick changes. */
export const USER = 'townwatch';

/** No longer than the first: servers may take nine letters. */
export const otherNick = (nick: string, nth: number): string => `${nick.slice(0, -1)}${String(nth)}`;

export class Login {
  /** What the server agreed to. */
  readonly agreed = new Set<string>();
  readonly #settings: Settings;
  readonly #say: (line: string) => void;
  /** Wishes that the server has not settled. */
  readonly #open: Set<string>;
  readonly #wanted: boolean;
  readonly #proof: Proof | null;
  #isLoggedIn = false;
  #tries = 0;

  /** Says the first lines. Throws `Undelivered` for what the configuration lacks. `wishes`: names of capabilities. */
  constructor(settings: Settings, wishes: readonly string[], say: (line: string) => void) {
    this.#settings = settings;
    this.#say = say;
    this.#proof = proofOf(settings);
    this.#open = new Set(this.#proof === null ? wishes : [...wishes, SASL]);
    this.#wanted = this.#open.size > 0;
    const secret = secretOf(settings.password, '[irc] password');
    // Each by itself: a server refuses all of one line together.
    for (const wish of this.#open) say(`CAP REQ :${wish}`);
    if (secret !== null) say(`PASS ${secret}`);
    say(`NICK ${settings.nick}`);
    say(`USER ${USER} 0 * :${USER}`);
  }

  /** Whether the line was about the login. Throws `Undelivered` where the server refuses. */
  hear(command: string, rest: string): boolean {
    if (command === 'CAP') this.#settle(rest);
    else if (command === 'AUTHENTICATE') this.#say(`AUTHENTICATE ${this.#proof?.words ?? '*'}`);
    else if (command === ACCOUNT) this.#mustBeOurs(rest.split(' ')[2] ?? '');
    else if (command === LOGGED_IN) this.#logIn();
    else if (NOT_LOGGED_IN.has(command)) throw new Undelivered(`the server refused the account: ${rest}`);
    else if (NICK_IN_USE.has(command)) this.#rename();
    else if (command === WELCOME && this.#proof !== null && !this.#isLoggedIn) throw new Undelivered(NO_SASL);
    else return false;
    return true;
  }

  #settle(rest: string): void {
    const [, answer = '', ...names] = rest.split(' ');
    if (answer !== 'ACK' && answer !== 'NAK') return;
    for (const name of names.map((one) => one.replace(/^:/, '')).filter((one) => this.#open.has(one))) {
      if (answer === 'NAK' && name === SASL) throw new Undelivered(NO_SASL);
      if (answer === 'ACK') this.agreed.add(name);
      if (answer === 'ACK' && name === SASL) this.#say(`AUTHENTICATE ${this.#proof?.mechanism ?? '*'}`);
      else this.#open.delete(name);
    }
    this.#endIfSettled();
  }

  /** The services say whose the certificate is. */
  #mustBeOurs(account: string): void {
    const { sasl } = this.#settings;
    if (sasl !== null && account.toLowerCase() !== sasl.toLowerCase())
      throw new Undelivered(`the server logs in to the account ${account}, and [irc] sasl is ${sasl}`);
  }

  #logIn(): void {
    this.#isLoggedIn = true;
    this.#open.delete(SASL);
    this.#endIfSettled();
  }

  #endIfSettled(): void {
    if (this.#wanted && this.#open.size === 0) this.#say('CAP END');
  }

  #rename(): void {
    const { nick } = this.#settings;
    this.#tries += 1;
    if (this.#tries >= MAX_NICKS) throw new Undelivered(`the nick ${nick} is in use`);
    this.#say(`NICK ${otherNick(nick, this.#tries)}`);
  }
}

const NO_SASL = 'the server offers no SASL, so [irc] sasl cannot log in';

interface Proof {
  readonly mechanism: 'PLAIN' | 'EXTERNAL';
  readonly words: string;
}

/** null = no account is configured. With a certificate the server knows already who it is, and some take no other word (Atheme 7.2). */
function proofOf({ sasl, saslPassword, certificate }: Settings): Proof | null {
  if (sasl === null) return null;
  if (certificate !== null) return { mechanism: 'EXTERNAL', words: '+' };
  const secret = mustBe(secretOf(saslPassword, '[irc] sasl_password'), '[irc] sasl_password');
  const proof = Buffer.from(`\0${sasl}\0${secret}`).toString('base64');
  if (proof.length > MAX_SASL) throw new Undelivered('[irc] sasl_password is too long');
  return { mechanism: 'PLAIN', words: proof };
}
