/**
 * How many lines of a channel on IRC are taken for answers in a minute. Each account that may answer has its own number, so that no
 * stranger uses it up. A line whose account is not known yet costs the server a question, and counts for who said it.
 */
import { ANSWERS } from '../../machines/channels/policy.ts';

export class IrcLimits {
  readonly #accounts: ReadonlySet<string>;
  readonly #lines = new Map<string, number>();

  /** `accounts`: of those who may answer. */
  constructor(accounts: readonly string[]) {
    this.#accounts = new Set(accounts);
  }

  /** Counts a line whose account is to be asked for. `source`: `nick!user@host`. */
  mayAsk(source: string): boolean {
    const key = `source ${source}`;
    const isNew = !this.#lines.has(key);
    return (!isNew || this.#lines.size < ANSWERS.maxSpeakers) && this.#count(key, ANSWERS.perMinute);
  }

  /** Counts a line of this account. Strangers count together: the town tells them that they may not. */
  mayAnswer(account: string): boolean {
    if (this.#accounts.has(account)) return this.#count(`account ${account}`, ANSWERS.perMinute);
    return this.#count('strangers', ANSWERS.strangersPerMinute);
  }

  /** Whether this line of an agent is to be kept as a sign: a few in a minute tell as much as many. */
  maySpeak(agent: string): boolean {
    return this.#count(`agent ${agent}`, ANSWERS.signsPerMinute);
  }

  /** Another minute begins. */
  begin(): void {
    this.#lines.clear();
  }

  #count(key: string, most: number): boolean {
    const before = this.#lines.get(key) ?? 0;
    if (before < most) this.#lines.set(key, before + 1);
    return before < most;
  }
}
