/**
 * One control-mode client, attached to a hidden session of its own that ends with it. Owns the child process and the queue.
 * 1. Replies come in the order of the lines; a reply that came too late is dropped, never taken for the next one's.
 * 2. A line without a reply within the limit is `unknown`; after a second limit the connection counts as lost.
 * 3. While a reply is overdue, further queries are `unknown` at once: nothing piles up on a silent server.
 * 4. `lost` is called once, and not for a close of ours.
 * 5. A program can draw what ends a block, and blocks of its own, once it has seen tmux's numbers. Behind its words a random one is asked
 *    for: where it does not come next, the connection counts as lost at once, and no later query gets a wrong reply.
 * 6. The client of a living town is never killed (left-clients.ts): its input ends, and it goes when the server lets it. tmux crashes, with everybody's sessions,
 *    when a control-mode client vanishes before it was taken in.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms } from '../../machines/protocol.ts';
import { onLines, spawnClient, waitForEnd, type ClientSize } from './control-process.ts';
import { newSeam } from './batch.ts';
import { blockReader, type Reply } from './control-parser.ts';
import { TmuxError, faultOf, isFault } from './errors.ts';
import { mustBeOurSocket, runOnce } from './exec.ts';
import { hiddenName, townOf } from './hidden.ts';
import { span } from '../../machines/kernel/span.ts';

/** What tmux tells unasked and what is worth a scan. */
const WORTH_TELLING = ['session-changed', 'sessions-changed', 'window-close', 'unlinked-window-close', 'exit'];

export interface ControlOptions extends ClientSize {
  /** Whether a process has this pid. True when it is unknown. */
  readonly lives: (pid: number) => boolean;
  readonly lost: (why: string) => void;
  readonly notice: (name: string) => void;
}

export interface ControlClient {
  /** One line made by `controlLine`. Rejects with TmuxError `unknown` or `refused`. */
  ask(line: string): Promise<string[]>;
  /**
   * What the commands of each group print at one moment, a program's own words among it; null = tmux refused one of them. Each was made
   * by `controlLine`. Rejects with TmuxError `unknown`.
   */
  askGuarded(groups: readonly (readonly string[])[]): Promise<(string | null)[]>;
  /** Ends client and hidden session; resolves when they are gone, or after the limit: a silent server lets them go later. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (lines: string[]) => void;
  readonly reject: (error: TmuxError) => void;
  /** The only line that may come. */
  readonly guard: string | undefined;
  /** Commands behind it on the same line: tmux drops them where this one fails. */
  readonly behind: number;
  timer: NodeJS.Timeout;
  overdue: boolean;
}

/** Groups that are asked for together. tmux prints nothing before all of it is done, and other queries wait behind. */
const GUARDED_AT_ONCE = 8;

/** Why it is lost where a program drew what only tmux may write. */
export const FORGED = 'a pane shows lines of the protocol';

/** Resolves when the client answers. Rejects with TmuxError: `none` when no server runs and none may be started. */
export async function openControl(options: ControlOptions): Promise<ControlClient> {
  mustBeOurSocket(options.place);
  const client = new Control(options);
  try {
    const id = await client.opened;
    await sweep(client, options.lives);
    await client.ask(endWithLast(id));
  } catch (error) {
    client.release();
    // The server may have made the session without a word to its client, who has told it nothing of its end then.
    void runOnce(options.place, [['kill-session', '-t', `=${client.hidden}`]]).catch(() => undefined);
    throw client.startFault() ?? error;
  }
  client.ready = true;
  return client;
}

/**
 * Ends the session with its last client, and not before: a person may have attached to it, and tmux runs the hook of the session
 * that was used last for clients of any session that is gone. By id: a hook of the user's may have renamed it.
 */
function endWithLast(id: string): string {
  const isLast = '#{==:#{session_attached},0}';
  return `set-hook -t '${id}' client-detached 'if-shell -F -t "\\${id}:" "${isLast}" "kill-session -t \\\\\\${id}"'`;
}

/** Ends hidden sessions whose town was killed before it set their end. */
async function sweep(client: ControlClient, lives: (pid: number) => boolean): Promise<void> {
  const sessions = await client.ask(`list-sessions -f '#{==:#{@town_hidden},1}' -F '#{session_id} #{session_name}'`);
  for (const session of sessions) {
    const [id = '', name = ''] = session.split(' ');
    const pid = townOf(name);
    if (pid !== null && !lives(pid)) await client.ask(`kill-session -t '${id}'`).catch(gone);
  }
}

function gone(error: unknown): void {
  refusedIsNull(error); // Another sweep was faster.
}

function refusedIsNull(error: unknown): null {
  if (!isFault(error, 'refused')) throw error;
  return null;
}

class Control implements ControlClient {
  ready = false;
  /**
   * The hidden session's id, as `new-session` itself prints it. Nothing else proves it: a line of ours read before the
   * session exists would mean a foreign session.
   */
  readonly opened: Promise<string>;
  readonly #opening: PromiseWithResolvers<string> = Promise.withResolvers();
  #session: string | null = null;
  readonly #token = randomBytes(8).toString('hex');
  /** The hidden session's name. */
  readonly hidden = hiddenName(process.pid, this.#token.slice(0, 8));
  readonly #options: ControlOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #queue: Waiting[] = [];
  readonly #limitMs: Ms;
  readonly #exited: Promise<unknown>;
  #stderr = '';
  #over: string | null = null;
  #closing = false;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#limitMs = options.place.limitMs;
    this.#child = spawnClient(options, this.hidden, this.#token);
    this.opened = this.#untilOpened();
    const reader = blockReader({
      reply: (reply) => this.#replied(reply),
      notice: (name) => {
        if (WORTH_TELLING.includes(name)) options.notice(name);
      },
      inside: (line, before) => this.#seen(line, before),
    });
    onLines(this.#child.stdout, (line) => reader.push(line));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    // A write to a client that just ended; the exit reports its end.
    this.#child.stdin.on('error', () => undefined);
    this.#exited = waitForEnd(this.#child).then((why) => this.#ended(why));
  }

  ask(line: string): Promise<string[]> {
    const reply = this.#expect(line);
    if (this.#silence() === null) this.#child.stdin.write(`${line}\n`);
    return reply;
  }

  /** Why nothing is asked now; null = no reply is overdue. */
  #silence(): string | null {
    return this.#over ?? (this.#queue[0]?.overdue === true ? 'tmux does not answer' : null);
  }

  /** The next reply that is not awaited yet. */
  #expect(line: string, { guard, behind = 0 }: Partial<Pick<Waiting, 'guard' | 'behind'>> = {}): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const silent = this.#silence();
      if (silent !== null) {
        reject(new TmuxError('unknown', silent));
        return;
      }
      const limitMs = this.#limitMs;
      const waiting: Waiting = {
        resolve,
        reject,
        guard,
        behind,
        overdue: false,
        timer: setTimeout(() => late(), limitMs),
      };
      const late = (): void => {
        waiting.overdue = true;
        reject(new TmuxError('unknown', `tmux did not answer ${JSON.stringify(line)} within ${span(limitMs)}`));
        waiting.timer = setTimeout(() => this.#lose(`tmux is silent for ${span(2 * limitMs)}`), limitMs);
      };
      this.#queue.push(waiting);
    });
  }

  async askGuarded(groups: readonly (readonly string[])[]): Promise<(string | null)[]> {
    const found: (string | null)[] = [];
    for (let at = 0; at < groups.length; at += GUARDED_AT_ONCE)
      found.push(...(await this.#askSome(groups.slice(at, at + GUARDED_AT_ONCE))));
    return found;
  }

  async #askSome(groups: readonly (readonly string[])[]): Promise<(string | null)[]> {
    const written: string[] = [];
    const asked = groups.map(async (commands) => {
      const guard = newSeam();
      const lines = [commands.join(' ; '), `display-message -p '${guard}'`];
      written.push(...lines.map((line) => `${line}\n`));
      const shown = commands.map((one, at) => this.#expect(one, { behind: commands.length - 1 - at }));
      const all = [...shown, this.#expect('its guard', { guard })];
      const blocks = await Promise.all(all.map((block) => block.catch(refusedIsNull)));
      const rows = blocks.slice(0, -1).map((block) => block && block.map((row) => `${row}\n`).join(''));
      return rows.includes(null) ? null : rows.join('');
    });
    if (this.#silence() === null) this.#child.stdin.write(written.join(''));
    return Promise.all(asked);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#child.stdin.end(this.#session === null ? '' : `kill-session -t '${this.#session}'\n`);
    const over = new AbortController();
    const limit = pause(this.#limitMs, null, { signal: over.signal }).catch(() => null); // Aborted: the client is gone.
    await Promise.race([this.#exited, limit]);
    over.abort();
    this.release();
  }

  /** Leaves the client to itself: it ends with its input, at once or when the server answers again. */
  release(): void {
    this.#ended('the tmux client was closed');
    this.#child.stdin.end();
    // What it prints is still taken from it: a client that cannot print what is left to print never ends.
    const { stdin, stdout, stderr } = this.#child;
    for (const end of [stdin, stdout, stderr, this.#child]) if (holds(end)) end.unref();
  }

  /** Why the client never answered, as far as it said so. */
  startFault(): TmuxError | null {
    if (this.#over === 'tmux: ENOENT')
      return new TmuxError('absent', 'there is no tmux in PATH; install tmux 3.2 or newer');
    const said = this.#stderr.trim();
    return said === '' ? null : new TmuxError(faultOf(said), said);
  }

  async #untilOpened(): Promise<string> {
    const late = (): void =>
      this.#opening.reject(new TmuxError('unknown', `tmux took no client in within ${span(this.#limitMs)}`));
    const timer = setTimeout(late, this.#limitMs);
    try {
      return await this.#opening.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A reply to the client's own command line, or to a hook's command. */
  #heard({ lines }: Reply): void {
    for (const line of lines) {
      const [token, id] = line.split(' ');
      if (token !== this.#token || id === undefined || !/^\$\d+$/.test(id)) continue;
      this.#session = id;
      this.#opening.resolve(id);
    }
  }

  /** A guard stands first in its own block: elsewhere, it was swallowed by a block that a program began and does not end. */
  #seen(line: string, before: number): void {
    if (this.#queue[0]?.guard === line && before === 0) return;
    if (this.#queue.some(({ guard }) => guard === line)) this.#lose(FORGED);
  }

  #replied(reply: Reply): void {
    if (!reply.ours) {
      this.#heard(reply);
      return;
    }
    const guard = this.#queue[0]?.guard;
    if (guard !== undefined && reply.lines.join('\n') !== guard) return this.#lose(FORGED);
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    const all = [waiting, ...(reply.ok ? [] : this.#queue.splice(0, waiting.behind))];
    for (const { timer } of all) clearTimeout(timer);
    if (reply.ok) waiting.resolve([...reply.lines]);
    else for (const one of all) one.reject(new TmuxError('refused', reply.lines.join('\n')));
  }

  #lose(why: string): void {
    this.#ended(why);
    this.release();
  }

  #ended(why: string): void {
    if (this.#over !== null) return;
    this.#over = why;
    this.#opening.reject(new TmuxError('unknown', why));
    for (const waiting of this.#queue.splice(0)) {
      clearTimeout(waiting.timer);
      waiting.reject(new TmuxError('unknown', why));
    }
    if (this.ready && !this.#closing) this.#options.lost(why);
  }
}

/** Whether it keeps this process from ending. */
function holds(end: object): end is { unref(): void } {
  return 'unref' in end;
}
