/** The one account of a story: who shares it, whether its login is dead, and who uses which login. */
import type { Account, DeadLogin, OutcomeBody, SeenSession, WaitingStart } from '../../machines/protocol.ts';

export class SharedLogin {
  account: Account = { id: 'claude-0a1b2c3d', label: '?', file: '/home/dev/.credentials.json' };
  members: readonly string[] = [];
  #credential = 1;
  /** Those that use a dead login, by the session's name. */
  readonly #shows = new Set<string>();
  #isDead = false;

  share(label: string, members: readonly string[]): void {
    this.account = { ...this.account, label };
    this.members = members;
  }

  dies(): void {
    this.#isDead = true;
    for (const name of this.members) this.#shows.add(name);
  }

  /** The others go on with the old login. */
  logsIn(name: string): void {
    this.#isDead = false;
    this.#credential += 1;
    this.#shows.delete(name);
  }

  /** A new life reads the login that there is. */
  begins(name: string): void {
    if (!this.#isDead) this.#shows.delete(name);
  }

  /** What a scan sees besides. */
  seen(one: SeenSession): SeenSession {
    if (one.life !== 'alive' || !this.members.includes(one.name)) return one;
    const state = this.#shows.has(one.name) ? 'logged_out' : 'works';
    return { ...one, account: this.account, standing: { state, credential: `${this.#credential}` } };
  }

  held(name: string, dead: readonly DeadLogin[] = []): OutcomeBody | null {
    const isHeld = dead.some(({ credential, isTried }) => isTried || credential === `${this.#credential}`);
    if (!isHeld || !this.members.includes(name)) return null;
    const why = `account ${this.account.label} is logged out`;
    return { type: 'SESSION_NOT_STARTED', why, taken: false, held: this.account, waits: true };
  }

  free(waits: readonly WaitingStart[]): readonly string[] {
    const mine = waits.filter(({ spec }) => this.members.includes(spec.name));
    return mine.filter(({ spec, dead }) => this.held(spec.name, dead) === null).map(({ spec }) => spec.name);
  }
}
