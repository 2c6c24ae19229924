/**
 * The door to tmux: `Tmux` from the ports, over the control-mode client while it is up, else by one-shot calls.
 * 1. "No server" is concluded only after a server known to live was asked to make its socket file again.
 * 2. A call without an answer is `unknown`; nothing here takes it for "gone".
 * 3. A server is started only by `connect({ start: true })`, and then as a daemon of its own in the folder /.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Proc } from '../../machines/protocol.ts';
import type { Processes, Tmux } from '../ports/ports.ts';
import { readAll, type Group } from './batch.ts';
import type { ControlClient } from './control.ts';
import { agentEnvironment, listedEnvironment, type Environment } from '../proc/environment.ts';
import { TmuxError, isFault } from './errors.ts';
import { makeSocketFolder, runOnce, versionOf, type Answer, type Place } from './exec.ts';
import { controlLine } from './control-words.ts';
import { isEnding, leftClients, type LeftClients } from './left-clients.ts';
import { ServerProgram, type ClientProgram } from './program.ts';

/** `Tmux` and what the hands for sessions need besides. */
export interface TmuxClient extends Tmux {
  /**
   * Commands run in order in one go, one-shot, none after one that failed. `refused` holds what tmux or a hook of the user's
   * complained about: a hostile hook makes a call fail that did its work, so judge by what was printed.
   */
  sequence(commands: readonly (readonly string[])[]): Promise<Answer>;
  /** A server that is known from records: it is asked for its socket before anybody says that none runs. */
  expect(server: Proc): void;
  /**
   * Brings the control-mode client up; `none`: no server runs, and `start` was not given. Queries go over it from then on.
   * Rejects with TmuxError `unknown`, `absent` or `refused`.
   */
  connect(how?: { readonly start?: boolean }): Promise<'up' | 'none'>;
}

export interface ControlTmuxOptions {
  /** Absolute; see `socketPath`. */
  readonly socketPath: string;
  readonly policy: Pick<HandsPolicy, 'tmuxAnswerMs' | 'columns' | 'rows'>;
  readonly processes: Pick<Processes, 'proc' | 'alive'> & LeftClients;
  /** The environment to clean and call tmux in. */
  readonly env?: Environment;
  readonly binary?: string;
  /** The control-mode client is gone; queries go one-shot until the next `connect`. */
  readonly lost?: (why: string) => void;
  /** tmux told of a change (`sessions-changed`, `window-close`, …): a reason to scan, no fact. */
  readonly notice?: (name: string) => void;
}

export class ControlTmux implements TmuxClient {
  readonly socketPath: string;
  readonly #options: ControlTmuxOptions;
  readonly #place: Place;
  readonly #program: ServerProgram;
  #client: ControlClient | null = null;
  #connecting: Promise<'up' | 'none'> | null = null;
  /** A program forged replies: words of programs come by calls of their own from then on. */
  #isForged = false;
  readonly #known = new Map<string, Proc>();

  constructor(options: ControlTmuxOptions) {
    this.#options = options;
    this.socketPath = options.socketPath;
    this.#place = {
      binary: options.binary ?? 'tmux',
      socketPath: options.socketPath,
      env: listedEnvironment('tmux client', options.env ?? process.env),
      limitMs: options.policy.tmuxAnswerMs,
    };
    const { binary, socketPath, env } = this.#place;
    this.#program = new ServerProgram({
      name: binary,
      socketPath,
      path: env['PATH'],
      processes: options.processes,
      versionOf: (program) => versionOf({ ...this.#place, binary: program }),
    });
  }

  /** What speaks with the server that listens now. */
  program(): Promise<ClientProgram> {
    return this.#program.find();
  }

  async #at(): Promise<Place> {
    return { ...this.#place, binary: (await this.program()).program };
  }

  /** Whether queries go over the control-mode client now. */
  get connected(): boolean {
    return this.#client !== null;
  }

  async connect({ start = false }: { readonly start?: boolean } = {}): Promise<'up' | 'none'> {
    if (this.#client !== null) return 'up';
    const opening = this.#connecting;
    if (opening === null) {
      this.#connecting = this.#open(start).finally(() => (this.#connecting = null));
      return this.#connecting;
    }
    const state = await opening;
    // The opener may not have been allowed to start a server.
    return state === 'none' && start ? this.connect({ start }) : state;
  }

  /** Ends the client and its hidden session. One-shot calls still work afterwards. */
  async close(): Promise<void> {
    await this.#connecting?.catch(() => 'none'); // Its caller is told; here only its end matters.
    const client = this.#client;
    this.#client = null;
    await client?.close();
  }

  async query(command: readonly string[]): Promise<string[]> {
    const line = controlLine(command);
    if (this.#client !== null) return this.#client.ask(line);
    const { stdout, refused } = await this.sequence([command]);
    if (refused !== null) throw new TmuxError('refused', refused);
    return stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n');
  }

  /** What each group prints, words of programs among it; null = tmux refused one of its commands. Over the control-mode client while it may. Rejects with TmuxError. */
  printed(groups: readonly Group[]): Promise<readonly (string | null)[]> {
    if (this.#client === null || this.#isForged) return readAll(this, groups);
    return this.#client.askGuarded(groups.map((group) => group.map((command) => controlLine(command, true))));
  }

  async call(args: readonly string[], input?: string): Promise<string> {
    const answer = await this.#withSocket(async () => runOnce(await this.#at(), [args], input));
    if (answer.refused !== null) throw new TmuxError('refused', answer.refused);
    return answer.stdout.replace(/\n$/, '');
  }

  sequence(commands: readonly (readonly string[])[]): Promise<Answer> {
    return this.#withSocket(async () => runOnce(await this.#at(), commands));
  }

  async server(): Promise<Proc | null> {
    try {
      const [line = ''] = await this.query(['display-message', '-p', '#{pid}']);
      return this.#serverOf(line);
    } catch (error) {
      if (isFault(error, 'none')) return null;
      throw error;
    }
  }

  expect(server: Proc): void {
    this.#known.set(`${server.pid}/${server.started}`, server);
  }

  #serverOf(line: string): Proc {
    const proc = /^\d+$/.test(line) ? this.#options.processes.proc(Number(line)) : null;
    if (proc === null) throw new TmuxError('unknown', `tmux names a server ${JSON.stringify(line)} that is not there`);
    this.expect(proc);
    return proc;
  }

  #lives(pid: number): boolean {
    try {
      return this.#options.processes.proc(pid) !== null;
    } catch {
      return true; // Unknown is not gone.
    }
  }

  async #open(start: boolean): Promise<'up' | 'none'> {
    const { openControl, FORGED } = await import('./control.ts');
    const { policy, lost, notice } = this.#options;
    const left = await this.#left();
    // A call of its own finds out whether the server answers: a control-mode client that is left behind waits for ever.
    const server = await this.server().catch((error: unknown) => {
      if (isEnding(error)) void this.#end(left);
      throw error;
    });
    if (server === null && !start) return 'none';
    if (server === null) await makeSocketFolder(this.#place);
    // Agents run in the environment of the server, so only a client that starts one has theirs.
    const starts = server === null && { env: agentEnvironment(this.#options.env ?? process.env) };
    const open = async (): Promise<ControlClient> =>
      openControl({
        place: { ...(await this.#at()), ...starts },
        columns: policy.columns,
        rows: policy.rows,
        start: server === null,
        lives: (pid) => this.#lives(pid),
        notice: (name) => notice?.(name),
        lost: (why) => {
          this.#client = null;
          this.#isForged ||= why === FORGED;
          lost?.(why);
        },
      });
    try {
      this.#client = await this.#withSocket(open);
      // The server takes clients in one after the other, and has taken in ours.
      void this.#end(left);
      return 'up';
    } catch (error) {
      if (!isFault(error, 'none')) throw error;
      return start && server !== null ? this.#open(start) : 'none'; // It ended meanwhile.
    }
  }

  /** Clients of towns that were killed; none where it cannot be found out. */
  async #left(): Promise<readonly Proc[]> {
    const { processes, socketPath } = this.#options;
    return leftClients(processes, socketPath, (pid) => this.#lives(pid)).catch(() => []);
  }

  /** Those that are there still. Never rejects. */
  async #end(left: readonly Proc[]): Promise<void> {
    if (left.length === 0) return;
    // A server that was being made as they were looked for was none of them, and is known as one by now.
    const now = new Set((await this.#left()).map(({ pid, started }) => `${pid}/${started}`));
    for (const client of left.filter(({ pid, started }) => now.has(`${pid}/${started}`))) {
      try {
        this.#options.processes.signal(client, 'KILL');
      } catch {
        // Another user's: it is that user's to end.
      }
    }
  }

  /** The file may have been swept away while the server lives; it makes a new one when asked to. */
  async #withSocket<T>(act: () => Promise<T>): Promise<T> {
    const { tmuxAnswerMs } = this.#options.policy;
    try {
      return await act();
    } catch (error) {
      if (!isFault(error, 'none') || !this.#askForSocket()) throw error;
    }
    const until = performance.now() + tmuxAnswerMs;
    while (performance.now() < until) {
      await pause(tmuxAnswerMs / TRIES_WITHIN_LIMIT);
      try {
        return await act();
      } catch (error) {
        if (!isFault(error, 'none')) throw error;
      }
    }
    const pids = [...this.#known.values()].map(({ pid }) => pid).join(', ');
    throw new TmuxError('unknown', `the tmux server ${pids} lives, but does not listen on ${this.socketPath}`);
  }

  /** Asks every known server that lives; false = none does. Rejects what is unknown with `unknown`. */
  #askForSocket(): boolean {
    for (const [key, server] of this.#known) {
      try {
        if (!this.#options.processes.signal(server, 'USR1')) this.#known.delete(key);
      } catch (error) {
        throw new TmuxError('unknown', `the tmux server ${server.pid} could not be asked for its socket`, {
          cause: error,
        });
      }
    }
    return this.#known.size > 0;
  }
}

/** How finely the limit is divided when a socket is waited for. */
const TRIES_WITHIN_LIMIT = 100;
