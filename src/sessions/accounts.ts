/**
 * The accounts of the lives that the town watches, and how the file of each login stands. Each process is looked up once:
 * its environment does not change.
 */
import type { Account, Incarnation, Instant, Proc } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Clock } from '../ports/ports.ts';
import { topmost, type Children } from '../proc/below.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { SOURCES } from '../sources/policy.ts';
import { accountIn } from './account.ts';
import { loginMark, type LoginMark } from './login-mark.ts';

export interface AccountsDeps {
  readonly processes: Pick<ProcessTable, 'children' | 'commandOf' | 'describe' | 'proc' | 'variableOf'>;
  readonly packs: Pick<Packs, 'kindOf'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Found {
  readonly account: Account | null;
  readonly nextAt: Instant;
}

export class Accounts {
  readonly #deps: AccountsDeps;
  #found: ReadonlyMap<string, Found> = new Map();
  /** By the file of a login. */
  #marks: ReadonlyMap<string, LoginMark> = new Map();
  #isLooking = false;

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  /** undefined = not known. */
  of(uuid: string): Account | undefined {
    return this.#found.get(uuid)?.account ?? undefined;
  }

  /** How the file of this account's login stood at the last look; null = there is none, undefined = not known. */
  credentialOf({ file }: Account): LoginMark {
    return file === null ? null : this.#marks.get(file);
  }

  /** Finds the accounts of these lives, and forgets all others. Never rejects. */
  async look(lives: readonly Incarnation[]): Promise<void> {
    // Elsewhere each environment costs a program, and may be cut.
    if (this.#isLooking || process.platform !== 'linux') return;
    this.#isLooking = true;
    try {
      await this.#search(lives);
      const files = new Set([...this.#found.values()].flatMap(({ account }) => account?.file ?? []));
      const marks = new Map<string, LoginMark>();
      // One by one: those that hang must not have all threads at once.
      for (const file of files) marks.set(file, await loginMark(file));
      this.#marks = marks;
    } finally {
      this.#isLooking = false;
    }
  }

  async #search(lives: readonly Incarnation[]): Promise<void> {
    const now = this.#deps.clock.now();
    const next = new Map<string, Found>();
    let children: Children | null = null;
    for (const { uuid, agent } of lives) {
      const known = this.#found.get(uuid);
      if (known !== undefined && (known.account !== null || now < known.nextAt)) {
        next.set(uuid, known);
        continue;
      }
      if (this.#kindAt(agent.pid) === null)
        children ??= await this.#deps.processes.children().catch(() => new Map<number, readonly number[]>());
      next.set(uuid, {
        account: await this.#accountBelow(agent, children ?? new Map()),
        nextAt: now + SOURCES.searchEveryMs,
      });
    }
    this.#found = next;
  }

  /** Of the topmost agent there: a launcher may give it another environment than its own. */
  async #accountBelow(agent: Proc, children: Children): Promise<Account | null> {
    const { processes, packs } = this.#deps;
    try {
      const proc = topmost(processes, children, agent.pid, (one) => packs.kindOf(one) !== null);
      const kind = proc && this.#kindAt(proc.pid);
      return proc === null || kind === null ? null : await accountIn(kind, (name) => processes.variableOf(proc, name));
    } catch {
      return null;
    }
  }

  #kindAt(pid: number): string | null {
    const { processes, packs } = this.#deps;
    return orNull(() => {
      const command = processes.commandOf(pid);
      return command && packs.kindOf(command);
    });
  }
}
