/**
 * One control-mode client, attached to a hidden session of its own that ends with it. Owns the child process and the queue.
 * 1. Replies come in the order of the lines; a reply that came too late is dropped, never taken for the next one's.
 * 2. A line without a reply within the limit is `unknown`; after a second limit the connection counts as lost.
 * 3. While a reply is overdue, further queries are `unknown` at once: nothing piles up on a silent server.
 * 4. `lost` is called once, and not for a close of ours.
 */
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import type { Ms } from '../../machines/protocol.ts';
import { blockReader } from './blocks.ts';
import type { Reply } from './blocks.ts';
import { TmuxError, faultOf } from './errors.ts';
import { words } from './once.ts';
import type { Place } from './once.ts';

/** What tmux tells unasked and what is worth a scan. */
const WORTH_TELLING = ['session-changed', 'sessions-changed', 'window-close', 'unlinked-window-close', 'exit'];

export interface ControlOptions {
  readonly place: Place;
  /** Name of the hidden session; nobody else's. */
  readonly hidden: string;
  readonly columns: number;
  readonly rows: number;
  /** Whether a server may be started when none runs. */
  readonly start: boolean;
  readonly lost: (why: string) => void;
  readonly notice: (name: string) => void;
}

export interface ControlClient {
  /** One line made by `controlLine`. Rejects with TmuxError `unknown` or `refused`. */
  ask(line: string): Promise<string[]>;
  /** Ends client and hidden session; resolves when the child is gone. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (lines: string[]) => void;
  readonly reject: (error: TmuxError) => void;
  timer: NodeJS.Timeout;
  overdue: boolean;
}

type Child = ReturnType<typeof spawnClient>;

/** Resolves when the client answers. Rejects with TmuxError: `none` when no server runs and none may be started. */
export async function openControl(options: ControlOptions): Promise<ControlClient> {
  const client = new Control(options);
  try {
    await client.ask(`display-message -p '#{session_id}'`);
  } catch (error) {
    await client.close();
    throw client.startFault() ?? error;
  }
  client.ready = true;
  return client;
}

class Control implements ControlClient {
  ready = false;
  readonly #options: ControlOptions;
  readonly #child: Child;
  readonly #queue: Waiting[] = [];
  readonly #limitMs: Ms;
  readonly #exited: Promise<unknown>;
  #stderr = '';
  #over: string | null = null;
  #closing = false;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#limitMs = options.place.limitMs;
    this.#child = spawnClient(options);
    const reader = blockReader(
      (reply) => this.#replied(reply),
      (name) => {
        if (WORTH_TELLING.includes(name)) options.notice(name);
      },
    );
    onLines(this.#child.stdout, (line) => reader.push(line));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    // A write to a client that just ended; its end is told by the exit.
    this.#child.stdin.on('error', () => undefined);
    this.#exited = this.#child.then(({ code }) =>
      this.#ended(code === undefined ? 'the tmux client ended' : `tmux: ${code}`),
    );
  }

  ask(line: string): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const silent = this.#over ?? (this.#queue[0]?.overdue === true ? 'tmux does not answer' : null);
      if (silent !== null) {
        reject(new TmuxError('unknown', silent));
        return;
      }
      const limitMs = this.#limitMs;
      const waiting: Waiting = { resolve, reject, overdue: false, timer: setTimeout(() => late(), limitMs) };
      const late = (): void => {
        waiting.overdue = true;
        reject(new TmuxError('unknown', `tmux did not answer ${JSON.stringify(line)} within ${limitMs} ms`));
        waiting.timer = setTimeout(() => this.#lose(`tmux is silent for ${2 * limitMs} ms`), limitMs);
      };
      this.#queue.push(waiting);
      this.#child.stdin.write(`${line}\n`);
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#child.stdin.end();
    const giveUp = setTimeout(() => this.#kill(), this.#limitMs);
    await this.#exited;
    clearTimeout(giveUp);
    this.#ended('the tmux client was closed');
  }

  /** Why the client never answered, as far as it said so. */
  startFault(): TmuxError | null {
    if (this.#over === 'tmux: ENOENT')
      return new TmuxError('absent', 'there is no tmux in PATH; install tmux 3.2 or newer');
    const said = this.#stderr.trim();
    return said === '' ? null : new TmuxError(faultOf(said), said);
  }

  #replied(reply: Reply): void {
    if (!reply.ours) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    if (reply.ok) waiting.resolve([...reply.lines]);
    else waiting.reject(new TmuxError('refused', reply.lines.join('\n')));
  }

  #lose(why: string): void {
    this.#ended(why);
    this.#kill();
  }

  /** A silent server holds the client's pipes open after its end: they are let go, or nobody would ever see it. */
  #kill(): void {
    this.#child.kill('SIGKILL');
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #ended(why: string): void {
    if (this.#over !== null) return;
    this.#over = why;
    for (const waiting of this.#queue.splice(0)) {
      clearTimeout(waiting.timer);
      waiting.reject(new TmuxError('unknown', why));
    }
    if (this.ready && !this.#closing) this.#options.lost(why);
  }
}

/** Cut at line feeds alone: names and folders may hold every other kind of line break. */
function onLines(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}

function spawnClient({ place, hidden, columns, rows, start }: ControlOptions) {
  const session = [
    ...['new-session', '-f', 'ignore-size,no-output', '-s', hidden, '-x', String(columns), '-y', String(rows)],
    // Longer than any town; no shell of the user's is involved.
    ...['--', 'env', '-i', 'sleep', '2147483647'],
  ];
  const commands = [session, ['set-option', 'destroy-unattached', 'on'], ['set-option', '@town_hidden', '1']];
  return execa(place.binary, ['-u', ...(start ? [] : ['-N']), '-S', place.socketPath, '-C', ...words(commands)], {
    reject: false,
    buffer: false,
    cwd: '/',
    env: { ...place.env },
    extendEnv: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}
