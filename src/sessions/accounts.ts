/**
 * The accounts of the lives that the town watches, and how the file of each login stands. Each process is looked up once:
 * its environment does not change.
 */
import { stat } from 'node:fs/promises';
import type { Account, Incarnation, Instant, Proc } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Clock } from '../ports/ports.ts';
import { topmost, type Children } from '../proc/below.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { SOURCES } from '../sources/policy.ts';
import { accountIn } from './account.ts';

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
  #marks: ReadonlyMap<string, string | null> = new Map();
  #isLooking = false;

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  /** undefined = not known. */
  of(uuid: string): Account | undefined {
    return this.#found.get(uuid)?.account ?? undefined;
  }

  /** How the file of this account's login stood at the last look; null = there is none, undefined = not looked yet. */
  credentialOf({ file }: Account): string | null | undefined {
    return file === null ? null : this.#marks.get(file);
  }

  /** Finds the accounts of these lives, and forgets all others. Never rejects; a file that hangs delays only the next look. */
  async look(lives: readonly Incarnation[]): Promise<void> {
    // Elsewhere each environment costs a program, and may be cut.
    if (this.#isLooking || process.platform !== 'linux') return;
    this.#isLooking = true;
    try {
      await this.#search(lives);
      const files = new Set([...this.#found.values()].flatMap(({ account }) => account?.file ?? []));
      const marks = await Promise.all(Array.from(files, async (file) => [file, await credentialMark(file)] as const));
      this.#marks = new Map(marks);
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
        account: this.#accountBelow(agent, children ?? new Map()),
        nextAt: now + SOURCES.searchEveryMs,
      });
    }
    this.#found = next;
  }

  /** Of the topmost agent there: a launcher may give it another environment than its own. */
  #accountBelow(agent: Proc, children: Children): Account | null {
    const { processes, packs } = this.#deps;
    return orNull(() => {
      const proc = topmost(processes, children, agent.pid, (one) => packs.kindOf(one) !== null);
      const kind = proc && this.#kindAt(proc.pid);
      return proc === null || kind === null ? null : accountIn(kind, (name) => processes.variableOf(proc, name));
    });
  }

  #kindAt(pid: number): string | null {
    const { processes, packs } = this.#deps;
    return orNull(() => {
      const command = processes.commandOf(pid);
      return command && packs.kindOf(command);
    });
  }
}

/** Another login has another mark; null = there is no such file, or it is empty. Never rejects; may take for ever. */
export async function credentialMark(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  return found === null || found.size === 0 ? null : `${found.ino}-${found.size}-${found.mtimeMs}`;
}
