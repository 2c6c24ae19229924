/** A hook server as the town has it, the hook's command as Claude Code runs it, and a process that stands for a Claude Code. */
import { Packs } from '../../../src/screen/packs.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createProcesses } from '../../../src/proc/processes.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { claudeSettings, heldByTown, hooksSocket } from '../../../src/sources/claude-hooks.ts';
import { transcriptFile } from '../../../src/sources/claude-transcript.ts';
import { claudePort } from '../../../src/sources/claude.ts';
import { HookServer } from '../../../src/sources/hook-server.ts';
import type { Heard } from '../../../src/sources/port.ts';
import { defaultSettings } from '../../../src/config/load.ts';
import type { Incarnation } from '../../../machines/protocol.ts';
import type { Halt } from '../../../state/sessions/halts.ts';
import { life as lifeOf } from '../../state/make.ts';
import { tempFolder, whenOver } from '../../world/over.ts';
import { begun } from './begun.ts';

export const ID = '83e007c0-2e57-458e-912f-25304f75f9d8';
export const LIFE = '0b9fca5c-9a2b-4d43-8a53-5f6ec7b4b0a1';
const processes = createProcesses();
export const tokenFor = (uuid: string): string => `token of ${uuid}`;

type Greet = ConstructorParameters<typeof HookServer>[0]['greet'];

export interface Town {
  readonly root: string;
  readonly server: HookServer;
  /** Lives that did not end, by uuid. */
  living: Map<string, Incarnation>;
  /** What the file of halts holds. */
  readonly kept: Halt[];
  readonly complaints: string[];
  /** Writes of it that are under way, and how many were at most; it takes as long as a slow disk. */
  readonly writes: { now: number; most: number };
  /** What a person beside the town sees by it. */
  readonly settings: Parameters<typeof hooksSocket>[0];
}

const NOT_YET = null as unknown as HookServer;
/** Longer than an answer takes. */
const DISK_MS = 100;

export async function town(
  root = tempFolder('town-hooks'),
  kept: Halt[] = [],
  greet: Greet = () => Promise.resolve(null),
  clock: ConstructorParameters<typeof HookServer>[0]['clock'] = systemClock,
): Promise<Town> {
  const settings = defaultSettings({ root, from: '--root', configured: false });
  const it: Town = {
    root,
    settings,
    kept,
    complaints: [],
    writes: { now: 0, most: 0 },
    living: new Map([[LIFE, lifeOf('shop', LIFE)]]),
    server: NOT_YET,
  };
  const halts = {
    read: () => Promise.resolve([...kept]),
    write: async (all: readonly Halt[]) => {
      it.writes.now += 1;
      it.writes.most = Math.max(it.writes.most, it.writes.now);
      await sleep(DISK_MS);
      it.writes.now -= 1;
      kept.splice(0, kept.length, ...all);
    },
  };
  const server = new HookServer({
    clock,
    tokenFor,
    processes,
    packs: new Packs(),
    complain: (text) => it.complaints.push(text),
    living: () => Promise.resolve([...it.living.values()]),
    halts,
    greet,
  });
  await server.open(hooksSocket(settings));
  whenOver(() => server.close());
  return { ...it, server };
}

export const BASH = { tool_name: 'Bash', tool_input: { command: 'rm -rf build', description: 'Clean' } };

const REQUEST = 'PermissionRequest';

/** The hook as Claude Code runs it; what it printed once it ended. */
export function hook(
  { settings }: Pick<Town, 'settings'>,
  said: object | string,
  life = LIFE,
  token = tokenFor(life),
): Hook {
  const file = JSON.parse(claudeSettings(hooksSocket(settings))) as {
    hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
  };
  const event = typeof said === 'object' && 'hook_event_name' in said ? String(said.hook_event_name) : REQUEST;
  const { command = '' } = (file.hooks[event] ?? file.hooks[REQUEST])?.[0]?.hooks[0] ?? {};
  const env = { PATH: process.env['PATH'], TOWN_INCARNATION: life, TOWN_TOKEN: token };
  const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  whenOver(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const body = { hook_event_name: 'PermissionRequest', session_id: ID, cwd: '/work/app', ...BASH };
  child.stdin.on('error', () => undefined);
  child.stdin.end(typeof said === 'string' ? said : JSON.stringify({ ...body, ...said }));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number, printed })) };
}

export interface Hook {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number; readonly printed: string }>;
}

export interface Agent {
  readonly transcript: string;
  says(status: string): void;
  /** Its transcript ends with these calls, which have no result. */
  calls(...calls: readonly { readonly tool_name: string; readonly tool_input: object }[]): void;
  /** Its transcript goes on with a line of this kind, written now. */
  writes(type: 'user' | 'assistant', content: unknown, more?: object): void;
  hear(): Promise<Heard | null>;
  /** As a command beside the town hears it. */
  hearBeside(): Promise<Heard | null>;
}

/** A process that stands for a Claude Code which the town started. */
export async function agent(it: Town, of = LIFE): Promise<Agent> {
  const home = tempFolder('town-claude');
  const env = { PATH: process.env['PATH'], HOME: home, TOWN_INCARNATION: of, TOWN_TOKEN: tokenFor(of) };
  const child = spawn('sleep', ['300'], { argv0: 'claude', env, stdio: 'ignore' });
  whenOver(() => child.kill('SIGKILL'));
  return speaking(it, of, { pid: await begun(child, 'claude'), home });
}

/** This process, as the Claude Code of a life would be. */
export function speaking(
  { server, settings }: Town,
  of: string,
  { pid, home }: { readonly pid: number; readonly home: string },
): Agent {
  const folder = join(home, '.claude', 'sessions');
  mkdirSync(folder, { recursive: true });
  const proc = processes.proc(pid);
  if (proc === null) throw new Error('it ended at once');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const transcript = transcriptFile({ config: join(home, '.claude'), cwd: home, id: ID });
  mkdirSync(join(transcript, '..'), { recursive: true });
  const earOf = (held: Parameters<typeof claudePort>[0]['held']) =>
    claudePort({ processes, held, wall: () => Date.now() }).open(proc, of);
  const [ear, beside] = [earOf(server), earOf(heldByTown(settings, (uuid) => Promise.resolve(tokenFor(uuid))))];
  const session = { pid, sessionId: ID, cwd: home, procStart, version: '2.1.330', kind: 'interactive' };
  return {
    transcript,
    says: (status) => writeFileSync(join(folder, `${pid}.json`), JSON.stringify({ ...session, status })),
    calls: (...calls) => {
      const content = calls.map(({ tool_name: name, tool_input: input }, at) => {
        return { type: 'tool_use', id: `toolu_${at + 1}`, name, input };
      });
      const line = { sessionId: ID, isSidechain: false, message: { id: 'msg_1', content } };
      writeFileSync(transcript, `${JSON.stringify(line)}\n`);
    },
    writes: (type, content, more = {}) => {
      const line = {
        sessionId: ID,
        isSidechain: false,
        timestamp: new Date().toISOString(),
        type,
        message: { content },
      };
      appendFileSync(transcript, `${JSON.stringify({ ...line, ...more })}\n`);
    },
    hear: async () => (await ear?.hear()) ?? null,
    hearBeside: async () => (await beside?.hear()) ?? null,
  };
}

/** An agent that asks whether it may run a command. */
export async function asking(it: Town, more: object = {}): Promise<{ readonly claude: Agent; readonly held: Hook }> {
  const claude = await agent(it);
  claude.says('waiting');
  claude.calls({ ...BASH, ...more });
  const held = hook(it, more);
  await expect.poll(async () => (await claude.hear())?.asked ?? null, { timeout: 30_000 }).not.toBeNull();
  return { claude, held };
}
