/** Runs the real program as a child in a root of its own, and puts records where a town would. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject } from 'vitest';
import { freshDance } from '../../machines/hearings/dance.ts';
import type { Dance, Incarnation, SessionRecord } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { danceText } from '../../state/hearings/dances.ts';
import { realDisk } from '../../state/files/disk.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { paths } from '../../state/files/layout.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { tools } from '../hearings/lone.ts';
import { life } from '../state/make.ts';
import { NUMBERS } from '../../src/config/numbers.ts';
import { ALERTS_SOON, writeConfig } from '../world/config.ts';
import { whenOver } from '../world/over.ts';
import type { Session, Status, Warrant } from './views.ts';
import { runWarm } from './warm.ts';

/** The town's program from its sources. */
export const SOURCE = join(import.meta.dirname, '../../src/main.ts');
/** The same as it is shipped (test/bundle.ts); what is no test, such as a bench, has no bundle of a run. */
const UNDER_TEST = process.env['VITEST'] !== undefined;
export const MAIN = UNDER_TEST ? inject('main') : SOURCE;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The program to run, if not `MAIN`. */
  readonly main?: string;
  /** The Node that runs it, if not that of the test. */
  readonly node?: string;
}

const CONFIG = 'town.toml';

const processes = createProcesses();

/** A root with a tmux socket of its own, until the test is over. */
export class TestTown {
  /** Bare folder that holds the root; the program's HOME and present folder. */
  readonly home = mkdtempSync(join(tmpdir(), 'town-cli-'));
  readonly root = join(this.home, 'root');
  readonly socket = join(this.home, 'tmux');
  /** The tmux.conf of a server that it starts. */
  conf = '/dev/null';
  /** As the test wrote it: its keys, and constants that are replaced beside them. */
  #config = '';
  readonly #numbers = join(this.home, 'numbers.toml');

  constructor(toml = '') {
    mkdirSync(this.root);
    this.configure(toml);
    whenOver(() => this.end());
  }

  /** Its town.toml; its socket is its own, unless it goes to another one. */
  configure(toml = '', socket = this.socket): void {
    this.write(CONFIG, `[tmux]\nsocket = ${JSON.stringify(socket)}\n${toml}`);
  }

  /** A file of the root. Constants in its town.toml go where `$TOWN_NUMBERS` is read. */
  write(path: string, content: string | Uint8Array): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (path !== CONFIG) return writeFileSync(file, content);
    this.#config = String(content);
    writeConfig(file, this.#config, this.#numbers, ALERTS_SOON);
  }

  /** A folder to be all of a PATH: of these programs, where a shell finds them, and of no others. */
  programs(...names: readonly string[]): string {
    const bin = join(this.home, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of names) {
      const [found = ''] = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.split('\n');
      if (found !== '') symlinkSync(found, join(bin, name));
    }
    return bin;
  }

  /** A file of the root, town.toml as it was written here; empty while it is not written. */
  read(path: string): string {
    if (path === CONFIG) return this.#config;
    try {
      return readFileSync(join(this.root, path), 'utf8');
    } catch {
      return ''; // Not written yet.
    }
  }

  /** A session's record as it stands on the disk; null = there is none yet. */
  record(name: string): SessionRecord | null {
    const found = this.read(paths.session(name));
    return found === '' ? null : (JSON.parse(found) as SessionRecord);
  }

  /** The life of a session that runs, and lives; null = there is none. */
  life(name: string): Incarnation | null {
    const { state, incarnation } = this.record(name) ?? {};
    return state === 'running' && incarnation && processes.alive(incarnation.agent) ? incarnation : null;
  }

  /** What tmux says on the town's socket; a server that it starts reads `conf`. */
  tmux(...words: string[]): string {
    const args = ['-f', this.conf, '-S', this.socket, ...words];
    return spawnSync('tmux', args, { env: this.env(), cwd: '/', encoding: 'utf8' }).stdout;
  }

  /** Names in a folder of the root; none when it is not there. */
  names(folder: string): string[] {
    try {
      return readdirSync(join(this.root, folder));
    } catch {
      return []; // Nothing was written there.
    }
  }

  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { PATH = '', NODE_COMPILE_CACHE: cache } = process.env;
    const shared = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
    // The operator's alone: an agent that gives its token has none.
    const numbers = more['TOWN_TOKEN'] === undefined ? { [NUMBERS]: this.#numbers } : {};
    return { PATH, ...shared, ...numbers, HOME: this.home, TMPDIR: this.home, ...more };
  }

  /** The program with these words, and nothing added. */
  async bare(
    words: readonly string[],
    { env = {}, cwd = this.home, main = MAIN, node = process.execPath }: RunOptions = {},
  ): Promise<Ran> {
    const child = spawn(node, [main, ...words], {
      cwd,
      env: this.env(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  /** The program on this root, in a process that has run others before. */
  run(...words: string[]): Promise<Ran> {
    return this.#run(words);
  }

  #run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const argv = ['--root', this.root, ...words];
    // A town that runs in the process of its command is that process; a class of its own may start another program.
    const isOwn = words.includes('daemon') || this.bare !== TestTown.prototype.bare || !UNDER_TEST;
    return isOwn ? this.bare(argv, { env }) : runWarm({ argv, env: this.env(env), cwd: this.home });
  }

  /** An agent in a session of its own. Throws where it is not started. */
  async agent(name: string, command: readonly string[], ...options: readonly string[]): Promise<void> {
    const ran = await this.run('session', 'start', name, '--dir', this.home, ...options, '--', ...command);
    if (ran.code !== 0) throw new Error(`${name} was not started: ${ran.stderr}`);
  }

  async up(): Promise<this> {
    expect((await this.run('up')).code).toBe(0);
    return this;
  }

  /** As the agent of a session. */
  as(token: string, ...words: string[]): Promise<Ran> {
    return this.#run(words, { TOWN_TOKEN: token });
  }

  /** `data` of the envelope that the command prints. Rejects with `Unanswered` when the town was silent, or gone meanwhile. */
  async data<T>(...words: string[]): Promise<T> {
    const { stdout, stderr } = await this.run('--json', ...words);
    if (stdout === '') throw new (UNANSWERED.test(stderr) ? Unanswered : Error)(`town ${words.join(' ')}: ${stderr}`);
    return (JSON.parse(stdout) as { data: T }).data;
  }

  /** A session as the list of them has it. */
  async view(name: string): Promise<Session | undefined> {
    return (await this.data<Session[]>('session', 'list')).find((view) => view.name === name);
  }

  /** The same once it is so. */
  viewed(name: string, is: (view: Session) => boolean): Promise<Session> {
    return until(
      () => this.view(name),
      (view) => view !== undefined && is(view),
    ) as Promise<Session>;
  }

  /** A rig on record, as `town rig add` leaves it. */
  async rig(name: string): Promise<void> {
    const repo = join(this.home, 'repo');
    const record = { name, repo, commonDir: join(repo, '.git'), agent: null, base: null, remote: null, addedAt: 1 };
    await new RigRecords({ disk: realDisk(this.root, 0) }).saveRig(record);
  }

  /** What `status` tells, once it is so. */
  status(is?: (now: Status) => boolean): Promise<Status> {
    const ask = () => this.data<Status>('status');
    return is === undefined ? ask() : until(ask, is);
  }

  /** Episodes that are open. */
  async episodes(): Promise<string[]> {
    return (await this.data<{ episode: string }[]>('alerts', 'list')).map(({ episode }) => episode);
  }

  accuse(name: string): Promise<Warrant> {
    return this.data<Warrant>('warrant', 'file', name, '--reason', 'it says nothing');
  }

  /** A warrant once its hearing is over. */
  closed({ id }: Pick<Warrant, 'id'>): Promise<Warrant> {
    return until(
      () => this.data<Warrant>('warrant', 'show', id),
      ({ state }) => state === 'closed',
    );
  }

  /** A file of the root once it holds these words. */
  written(path: string, words = /./): Promise<string> {
    return until(
      () => this.read(path),
      (found) => words.test(found),
    );
  }

  session(name: string, more: Partial<SessionRecord> = {}): SessionRecord {
    const spec = { name, command: ['agent'], dir: '/', tags: ['worker'], restart: 'transient', process: null } as const;
    const record: SessionRecord = {
      ...freshSession(spec, ''),
      state: 'running',
      pending: null,
      incarnation: ghostOf(name),
      note: '',
      tokenHash: hashOf(`token-of-${name}`),
      startedAt: 1_000,
      ...more,
    };
    this.write(paths.session(name), sessionText(record));
    return record;
  }

  /** In its second question, unless `more` says otherwise. */
  dance(id: string, session: string, more: Partial<Dance> = {}): Dance {
    const target = ghostOf(session);
    const warrant = { id: `w-${id}`, target, reason: 'silent', requester: 'mayor', filedAt: 1_000, force: false };
    const attempt = { windowMs: 60_000, askedAt: 2_000, question: ['?'], mark: null, seen: '' };
    const dance: Dance = {
      ...freshDance(id, 0, warrant, tools(), { wall: 1_500, escalate: false }),
      stage: 'interrogating.listening',
      attempt: 2,
      attempts: [
        { ...attempt, code: 'K73F' },
        { ...attempt, code: 'M2X9', windowMs: 120_000 },
      ],
      observedMs: 20_000,
      tailBefore: 'before\u001b[31m',
      ...more,
    };
    this.write(dance.stage === 'closed' ? paths.completed(id) : paths.active(id), danceText(dance));
    return dance;
  }

  /** In any case all that runs in it is gone, town and tmux server too, and nothing is left. */
  async end(): Promise<void> {
    for (;;) {
      const left = await processes.carrying(`HOME=${this.home}`);
      for (const proc of left) processes.signal(proc, 'KILL');
      if (left.length === 0) break;
      await pause(20);
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
  }
}

const UNANSWERED = /the town (hung up before it answered|did not answer within)|has not looked at its workers yet/;

/** The town said nothing: that is neither yes nor no. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/**
 * Asks again until it is so, also while the town gives no answer; the test's own limit ends it. It rests for a share of the time that it
 * has waited: what a test waits for long is done by programs that need the processor, and each question takes it from them.
 */
export async function until<T>(ask: () => T | Promise<T>, isSo: (value: T) => boolean = Boolean): Promise<T> {
  for (const began = performance.now(); ;) {
    try {
      const value = await ask();
      if (isSo(value)) return value;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
    }
    await pause(Math.min(Math.max(REST.leastMs, REST.share * (performance.now() - began)), REST.mostMs));
  }
}
const REST = { leastMs: 20, share: 0.2, mostMs: 1_000 } as const;

/** What a command comes to: its exit code, and its words on stderr; '' = none at all. */
export function exits({ code, stderr }: Ran, exit: number | null, words: string | RegExp): void {
  expect([code, stderr]).toEqual([exit, saying(words)]);
}
/** The same, of its words on stdout. */
export function prints({ code, stdout }: Ran, exit: number | null, words: string | RegExp): void {
  expect([code, stdout]).toEqual([exit, saying(words)]);
}
function saying(words: string | RegExp): unknown {
  if (words === '') return words;
  return typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);
}

/** `kill -9` of one process, and it is gone. Throws for a pid that is not known: 0 and -1 would mean a whole group, or everybody. */
export function killHard(pid: number | null | undefined): void {
  if (pid === null || pid === undefined || pid <= 1) throw new Error(`no process to kill: ${String(pid)}`);
  process.kill(pid, 'SIGKILL');
  // A zombie holds nothing any more.
  while (processes.describe(pid) !== null) Atomics.wait(NEVER, 0, 0, 1);
}
const NEVER = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** A life whose pid belongs to no process. */
const ghostOf = (session: string): Incarnation => ({
  ...life(session, `uuid-of-${session}`),
  server: { pid: 999_999_998, started: '1@boot' },
  agent: { pid: 999_999_999, started: '1@boot' },
});
