/** A server of Codex's form on a real socket, and processes that stand for its terminals. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { vi } from 'vitest';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Proc } from '../../../machines/protocol.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { codexPort } from '../../../src/sources/codex.ts';
import { Packs } from '../../../src/screen/packs.ts';
import type { Ear } from '../../../src/sources/port.ts';
import { tempFolder, whenOver } from '../../world/over.ts';

const processes = createProcesses();
export const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

interface Thread {
  readonly id: string;
  readonly [more: string]: unknown;
}

interface Asked {
  /** Absent = it wants no answer. */
  readonly id?: number;
  /** Absent = it answers a question of the server's. */
  readonly method?: string;
  readonly params: { readonly threadId?: string };
  readonly result?: unknown;
}

/** A question of the server's, to all that have joined its thread. */
interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly threadId: string; readonly [more: string]: unknown };
}

const LATE_MS = 20;

/** A server that says what `threads` hold, as Codex 0.169 does. */
export class CodexHome {
  readonly folder = tempFolder('town-codex');
  readonly work = tempFolder('town-work');
  readonly socket = join(this.folder, 'app-server-control', 'app-server-control.sock');
  threads: Thread[] = [];
  version = '0.169.0';
  /** What it answers instead; null = nothing at all. */
  instead: ((method: string, result: unknown) => unknown) | null | undefined;
  /** What it never answers. */
  hangsIn: string | undefined;
  asked: string[] = [];
  /** Open ones. Whether the server says that an answer was taken: `silent` = it does not. */
  questions: Question[] = [];
  silent = false;
  answers: { readonly id: number | undefined; readonly result: unknown }[] = [];
  /** What comes of a turn that is to begin; mute = it begins without a word of that, lost = neither. */
  starts: 'begins' | 'refuses' | 'mute' | 'lost' = 'begins';
  /** Messages by which turns began. */
  begun: { readonly threadId?: string; readonly clientUserMessageId?: string; readonly input?: unknown }[] = [];
  /** By how much the wall clock was set back. */
  setBackMs = 0;
  readonly #clients = new Set<WebSocket>();
  readonly #port = codexPort({
    processes,
    packs: new Packs(),
    clock: { now: () => performance.now(), wall: () => Date.now() - this.setBackMs },
  });

  thread(more: Partial<Thread> = {}): Thread {
    const thread = {
      id: `thread-${this.threads.length}`,
      cwd: this.work,
      ephemeral: false,
      parentThreadId: null,
      threadSource: 'user',
      createdAt: nowInSeconds(),
      status: { type: 'idle' },
      ...more,
    };
    this.threads.push(thread);
    return thread;
  }

  async serve(): Promise<Server> {
    mkdirSync(join(this.folder, 'app-server-control'), { recursive: true });
    const server = createServer();
    const web = new WebSocketServer({ server });
    web.on('connection', (client) => {
      this.#clients.add(client);
      client.on('close', () => this.#clients.delete(client));
      client.on('message', (data) => this.#answer(client, data));
    });
    // Codex leaves a link there to a short path.
    const path = join(tempFolder('codex'), 's');
    symlinkSync(path, this.socket);
    server.listen(path);
    await once(server, 'listening');
    whenOver(() => {
      for (const client of web.clients) client.terminate();
      server.close();
    });
    return server;
  }

  #answer(client: WebSocket, data: RawData): void {
    const { id, method, params, result: given } = JSON.parse((data as Buffer).toString()) as Asked;
    if (method === undefined) {
      this.answers.push({ id, result: given });
      if (!this.silent) this.over(client, id);
      return;
    }
    this.asked.push(method);
    if (id === undefined || this.instead === null || method === this.hangsIn) return;
    if (method === 'turn/start') return this.#start(client, id, params);
    const result = this.#result(method, params);
    client.send(JSON.stringify({ id, result: this.instead?.(method, result) ?? result }));
    if (method !== 'thread/resume') return;
    // As seen, they come after the answer.
    const own = this.questions.filter(({ params: { threadId } }) => threadId === params.threadId);
    setTimeout(() => own.forEach((one) => client.send(JSON.stringify(one))), LATE_MS);
  }

  #start(client: WebSocket, id: number, params: Asked['params']): void {
    if (this.starts === 'begins' || this.starts === 'mute') this.begun.push(params);
    if (this.starts === 'begins') client.send(JSON.stringify({ id, result: { turn: { id: 'turn-1' } } }));
    if (this.starts === 'refuses') client.send(JSON.stringify({ id, error: { code: -32_600, message: 'no' } }));
  }

  /** How many clients are there. */
  readonly joined = (): number => this.#clients.size;

  /** A question is over, by anyone's answer: each client that joined hears of it. */
  over(client: WebSocket | null, requestId: number | undefined): void {
    this.questions = this.questions.filter(({ id }) => id !== requestId);
    const text = JSON.stringify({ method: 'serverRequest/resolved', params: { threadId: 'thread-0', requestId } });
    for (const one of client === null ? this.#clients : [client]) one.send(text);
  }

  #result(method: string, { threadId }: Asked['params']): unknown {
    if (method === 'initialize') return { userAgent: `codex-tui/${this.version} (Debian)`, codexHome: this.folder };
    if (method === 'thread/loaded/list') return { data: this.threads.map(({ id }) => id) };
    if (method === 'thread/turns/list')
      return {
        data: this.begun.map(({ clientUserMessageId: clientId }) => ({ items: [{ type: 'userMessage', clientId }] })),
      };
    return { thread: this.threads.find(({ id }) => id === threadId) };
  }

  /** A process that stands for a terminal of Codex. */
  async agent(cwd = this.work, ...words: readonly string[]): Promise<Ear & { readonly kill: () => Promise<void> }> {
    const env = { PATH: process.env['PATH'], HOME: '/nowhere', CODEX_HOME: this.folder };
    const child = spawn('sh', ['-c', 'read -r _', ...words], {
      argv0: 'codex',
      cwd,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    whenOver(() => child.kill('SIGKILL'));
    await once(child, 'spawn');
    // Its environment shows a moment after its start.
    const open = (): Ear | null => this.#port.open(processes.proc(child.pid ?? 0) as Proc, null);
    const ear = await vi.waitFor(() => open() ?? Promise.reject(new Error('nothing to hear')));
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    return { ...ear, kill };
  }
}
