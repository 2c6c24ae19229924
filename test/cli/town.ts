/** Runs the real program as a child in a root of its own, and puts records where a town would. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Dance, Incarnation, SessionRecord } from '../../machines/protocol.ts';
import { danceText } from '../../state/dances.ts';
import { paths } from '../../state/layout.ts';
import { sessionText } from '../../state/sessions.ts';
import { hashOf } from '../../state/tokens.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A root with a tmux socket of its own; remove it afterwards. */
export class TestTown {
  /** Bare folder that holds the root; the program's HOME and present folder. */
  readonly home = mkdtempSync(join(tmpdir(), 'town-cli-'));
  readonly root = join(this.home, 'root');
  readonly socket = join(this.home, 'tmux');

  constructor(toml = '') {
    mkdirSync(this.root);
    this.write('town.toml', `[tmux]\nsocket = ${JSON.stringify(this.socket)}\n${toml}`);
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
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
    return { PATH: process.env['PATH'] ?? '', HOME: this.home, TMPDIR: this.home, ...more };
  }

  /** The program with these words, and nothing added. */
  async bare(words: readonly string[], { env = {}, cwd = this.home }: RunOptions = {}): Promise<Ran> {
    const child = spawn(process.execPath, [MAIN, ...words], {
      cwd,
      env: this.env(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  /** The program on this root. */
  run(...words: string[]): Promise<Ran> {
    return this.bare(['--root', this.root, ...words]);
  }

  /** As the agent of a session. */
  as(token: string, ...words: string[]): Promise<Ran> {
    return this.bare(['--root', this.root, ...words], { env: { TOWN_TOKEN: token } });
  }

  /** `data` of the envelope that the command prints. */
  async data<T>(...words: string[]): Promise<T> {
    const { stdout } = await this.run('--json', ...words);
    return (JSON.parse(stdout) as { data: T }).data;
  }

  session(name: string, more: Partial<SessionRecord> = {}): SessionRecord {
    const record: SessionRecord = {
      spec: { name, command: ['agent'], dir: '/', tags: ['worker'], restart: 'transient', process: null },
      state: 'running',
      incarnation: life(name),
      tokenHash: hashOf(`token-of-${name}`),
      pending: null,
      restartAgesMs: [],
      streak: 0,
      restarts: 0,
      crashLoop: false,
      waitMs: 0,
      stableMs: 0,
      lastExit: null,
      note: '',
      startedAt: 1_000,
      ...more,
    };
    this.write(paths.session(name), sessionText(record));
    return record;
  }

  dance(id: string, session: string, more: Partial<Dance> = {}): Dance {
    const target = life(session);
    const attempt = { windowMs: 60_000, askedAt: 2_000, question: ['?'], mark: null, seen: '' };
    const dance: Dance = {
      id,
      slot: 0,
      target,
      warrants: [{ id: `w-${id}`, target, reason: 'silent', requester: 'mayor', filedAt: 1_000, force: false }],
      stage: 'interrogating.listening',
      attempt: 2,
      attempts: [
        { ...attempt, code: 'K73F' },
        { ...attempt, code: 'M2X9', windowMs: 120_000 },
      ],
      observedMs: 20_000,
      undeliveredMs: 0,
      personMs: 0,
      tree: null,
      killing: false,
      rounds: 0,
      rescue: null,
      survivors: [],
      verdict: null,
      reason: '',
      evidenceOnly: false,
      escalate: false,
      falls: 0,
      wakings: 0,
      retried: false,
      tailBefore: 'before\u001b[31m',
      tailAfter: '',
      openedAt: 1_500,
      closedAt: null,
      ...more,
    };
    this.write(dance.stage === 'closed' ? paths.completed(id) : paths.active(id), danceText(dance));
    return dance;
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A life that nobody leads: its pid belongs to no process. */
function life(session: string): Incarnation {
  const server = { pid: 999_999_998, started: '1@boot' };
  const agent = { pid: 999_999_999, started: '1@boot' };
  return { uuid: `uuid-of-${session}`, session, server, sessionId: '$1', paneId: '%1', agent, origin: 'started' };
}
