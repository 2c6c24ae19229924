/** A real town in a process of its own (`town daemon run`, no guard) on a private tmux server, for this folder and test/hostile. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dance } from '../../machines/protocol.ts';
import { PROCESS } from '../../src/ports/policy.ts';
import { connectTown, TownNotRunning, TownSilent } from '../../src/socket/client.ts';
import type { StatusView } from '../../src/socket/protocol.ts';
import { decodeDance } from '../../state/hearings/dances.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { TestTown } from '../cli/town.ts';
import { untilOver } from '../world/over.ts';
import { preload, type Killer, type Strike } from './strike.ts';

const AGENTS = join(import.meta.dirname, '../fixtures/agents');
/** Reads nothing, and neither a hang-up nor TERM ends it or its child. */
export const DEAF = ['sh', '-c', 'trap "" TERM HUP; sleep 100001 & sleep 100000'] as const;
/** Answers with the code. */
export const READER = [join(AGENTS, 'reader')] as const;

export const WINDOWS_MS = [400, 500, 600] as const;
/** A hearing of a second and a half. Only an answer pardons: a machine under load shows odd signs of life. */
export const SHORT = `
[dance]
windows = [${WINDOWS_MS.map((ms) => `"${ms}ms"`).join(', ')}]
pardon_on = "answer"
look_every = "100ms"
save_every = "50ms"
retry = "100ms"
gone_again = "200ms"
term_grace = "150ms"
kill_grace = "500ms"
read_warrants_every = "200ms"
`;

const POLL_MS = 20;

/** Waits for as long as the test may last. */
export async function until(truth: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await truth())) await pause(POLL_MS);
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** One life of the town's process. */
export interface Life {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** How it ended; null = it runs. */
  readonly end: () => Ended | null;
}

export class LiveTown implements AsyncDisposable {
  readonly cli: TestTown;
  readonly #lives: Life[] = [];
  #end: Promise<void> | null = null;

  constructor(toml = SHORT, { server = true } = {}) {
    this.cli = new TestTown(toml);
    untilOver(this);
    if (server) this.tmux('new-session', '-d', '-s', 'base', '-x', '80', '-y', '24', 'sleep', '100000');
  }

  get root(): string {
    return this.cli.root;
  }

  /** Runs tmux on the town's server; what it printed, empty when it complained. */
  tmux(...words: readonly string[]): string {
    return this.cli.tmux(...words);
  }

  /** Starts the town's process, to be killed at `strike`. Extra words go behind `daemon run`. */
  start(by: Killer = preload, strike: Strike | null = null, ...words: readonly string[]): Life {
    const child = by.start(['--root', this.root, 'daemon', 'run', ...words], this.cli.env(), strike);
    let stderr = '';
    child.stderr?.on('data', (text) => (stderr += String(text)));
    child.stdout?.resume();
    let end: Ended | null = null;
    const ended = new Promise<Ended>((resolve) =>
      child.once('close', (code, signal) => {
        end = { code, signal, stderr };
        resolve(end);
      }),
    );
    const life: Life = { child, ended, end: () => end };
    this.#lives.push(life);
    return life;
  }

  /** Its own word; null = no answer. */
  async status(): Promise<StatusView | null> {
    try {
      const client = await connectTown(this.root, PROCESS);
      try {
        return await client.status();
      } finally {
        client.close();
      }
    } catch (error) {
      if (error instanceof TownNotRunning || error instanceof TownSilent) return null;
      throw error;
    }
  }

  /** Its word once it fulfils a wish. */
  async statusWhen(wish: (status: StatusView) => boolean): Promise<StatusView> {
    for (;;) {
      const status = await this.status();
      if (status !== null && wish(status)) return status;
      await pause(POLL_MS);
    }
  }

  /** Starts the town and waits until it is ready. */
  async up(by?: Killer): Promise<Life> {
    const life = this.start(by);
    await Promise.race([this.statusWhen(({ ready }) => ready), life.ended]);
    const end = life.end();
    if (end !== null) throw new Error(`the town ended: ${JSON.stringify(end)}`);
    return life;
  }

  /** Ends it in order. */
  async down({ child, ended }: Life): Promise<Ended> {
    child.kill('SIGTERM');
    return ended;
  }

  /** An agent in a session of its own. */
  async agent(name: string, command: readonly string[], ...options: readonly string[]): Promise<void> {
    await this.cli.agent(name, command, ...options);
  }

  /** Puts a loose warrant into the inbox, as any program may. */
  accuse(name: string, id = `w-${name}`): void {
    this.cli.write(
      `${FOLDERS.warrants}/.${id}.tmp`,
      JSON.stringify({ target: name, reason: 'it is silent', requester: 'test' }),
    );
    renameSync(join(this.root, FOLDERS.warrants, `.${id}.tmp`), join(this.root, FOLDERS.warrants, `${id}.json`));
  }

  /** The records as they lie on the disk; a torn one is an error. Where a dance is in both places, completed/ wins. */
  dances(): ReadonlyMap<string, Dance> {
    const found = new Map<string, Dance>();
    for (const [folder, closed] of [
      [FOLDERS.active, false],
      [FOLDERS.completed, true],
    ] as const)
      for (const name of this.cli.names(folder).filter((one) => one.startsWith('dog-'))) {
        const text = this.#text(`${folder}/${name}`);
        if (text === null) continue; // It went on to completed/ meanwhile.
        const decoded = decodeDance(text, name, closed);
        if (!decoded.ok || !decoded.isChecksummed) throw new Error(`${folder}/${name} is torn: ${text}`);
        found.set(decoded.value.target.session, decoded.value);
      }
    return found;
  }

  /** Verdicts of closed hearings by session. */
  verdicts(): Readonly<Record<string, string | null>> {
    const closed = [...this.dances()].filter(([, { stage }]) => stage === 'closed');
    return Object.fromEntries(closed.map(([name, { verdict }]) => [name, verdict]));
  }

  /** The verdict on a session, once its hearing is closed. */
  async verdict(name: string): Promise<string | null> {
    await until(() => name in this.verdicts());
    return this.verdicts()[name] ?? null;
  }

  log(): string {
    return this.#text('daemon/daemon.log') ?? '';
  }

  /** Every line of the journal. */
  journal(): string {
    const files = readdirSync(join(this.root, FOLDERS.journal)).sort();
    return files.map((name) => this.#text(`${FOLDERS.journal}/${name}`) ?? '').join('');
  }

  #text(path: string): string | null {
    try {
      return readFileSync(join(this.root, path), 'utf8');
    } catch {
      return null; // It is not there, or not any more.
    }
  }

  /** Ends everything that was started; safe to call twice. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#endAll();
    return this.#end;
  }

  async #endAll(): Promise<void> {
    for (const { child, ended, end } of this.#lives) {
      if (end() !== null) continue;
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
    }
    await this.cli.end();
  }
}
