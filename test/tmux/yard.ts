/** A town's hands on a private tmux server: what the live tests of the sessions share. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { Exit, Incarnation, SessionSpec, WaitingStart } from '../../machines/protocol.ts';
import { paneKeeper } from '../../src/sessions/kept-output.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { personAt } from '../../src/hearings/people.ts';
import { Packs } from '../../src/screen/packs.ts';
import { adoptSession } from '../../src/sessions/adopt.ts';
import { clearSession } from '../../src/sessions/clear.ts';
import { claimServer, type Claim } from '../../src/tmux/owner.ts';
import { heldAfterCopy, seeFree } from '../../src/sessions/obstacle.ts';
import { scanSessions } from '../../src/sessions/scan.ts';
import { startSession } from '../../src/sessions/start.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { realDisk } from '../../state/files/disk.ts';
import { withServer, type ServerOptions, type TestServer } from './server.ts';

const POLICY = {
  tmuxAnswerMs: 5_000,
  columns: 200,
  rows: 50,
  maxKeptAside: 2,
  personWithinMs: 600_000,
  minFreeMemoryBytes: 0,
};
const OUTPUT_BYTES = 100_000;
const never = new AbortController().signal;

export type Yard = Awaited<ReturnType<typeof yard>>;

export interface YardOptions extends ServerOptions {
  /** Default: a server of its own. */
  readonly on?: TestServer;
  /** Default: a folder `town` in the server's own. */
  readonly rootName?: string;
  readonly epoch?: number;
  readonly policy?: Partial<typeof POLICY>;
  /** What stands in the town's own environment besides. */
  readonly env?: Record<string, string>;
  /** What is kept of the variables that a start names. */
  readonly values?: Record<string, string>;
  readonly maybeSignalled?: (uuid: string) => boolean;
  /** Called whenever the server is claimed. */
  readonly claiming?: () => void;
  /** Stands for a rival that holds the server; null = none does. */
  readonly refusing?: () => Claim | null;
  /** Called whenever it is told that a pane could not be saved, and why, or that one could (null). */
  readonly telling?: (why: string | null) => void;
  readonly exitOf?: (uuid: string) => Exit | null;
}

export async function yard(options: YardOptions = {}) {
  const server = options.on ?? (await withServer(options));
  const root = join(server.dir, options.rootName ?? 'town');
  for (const folder of ['daemon', 'output']) mkdirSync(join(root, folder), { recursive: true });
  const processes = createProcesses();
  const tmux = new ControlTmux({
    socketPath: server.socketPath,
    env: { ...server.env, ...options.env },
    policy: POLICY,
    processes,
  });
  const owner = { root, epoch: options.epoch ?? 1 };
  const claim = async () => {
    options.claiming?.();
    return options.refusing?.() ?? claimServer({ tmux, processes }, owner);
  };
  const tokenFor = (uuid: string): string => `token of ${uuid}`;
  const told: (string | null)[] = [];
  const keep = paneKeeper({
    tmux,
    disk: realDisk(root, 0),
    maxBytes: OUTPUT_BYTES,
    wall: Date.now,
    told: (_session, why) => {
      told.push(why);
      options.telling?.(why);
    },
  });
  const policy = { ...POLICY, ...options.policy };
  const personIn = (sessionIds: readonly string[]) => personAt({ tmux, clock: systemClock, policy }, sessionIds);
  const environmentOf = async (): Promise<Record<string, string>> => options.values ?? {};
  const heldBack = heldAfterCopy(realDisk(root, 0));
  const starter = startSession({
    tmux,
    processes,
    owner,
    claim,
    keep,
    personIn,
    tokenFor,
    environmentOf,
    heldBack,
    packs: new Packs(),
    hooksFile: null,
    policy,
  });
  const adopter = adoptSession({ tmux, processes, packs: new Packs(), owner, claim, tokenFor });
  const scanner = scanSessions({
    tmux,
    processes,
    maybeSignalled: async (uuid) => options.maybeSignalled?.(uuid) ?? false,
    sparedBy: () => null,
    exitOf: async (uuid) => options.exitOf?.(uuid) ?? null,
    freeOf: seeFree({ tmux, processes, owner, personIn, environmentOf, heldBack, packs: new Packs(), policy }),
  });
  const clearer = clearSession({ tmux, processes, owner, keep, personIn });
  const ordered = (spec: Partial<SessionSpec>, uuid: string) =>
    ({ type: 'startSession', id: { name: 's' }, spec: specOf(spec, server.dir), uuid }) as const;
  const start = (
    spec: Partial<SessionSpec>,
    uuid: string = randomUUID(),
    previous: Incarnation | null = null,
    signal = never,
  ) => starter({ ...ordered(spec, uuid), previous }, signal);
  return {
    policy,
    server,
    tmux,
    root,
    start,
    /** As an operator's `town session start`. */
    startByHand: (spec: Partial<SessionSpec>, uuid: string) =>
      starter({ ...ordered(spec, uuid), previous: null, byHand: true }, never),
    /** As `start`, of a session that has to start. */
    begin: async (spec: Partial<SessionSpec>, uuid?: string): Promise<Incarnation> => {
      const outcome = await start(spec, uuid);
      if (outcome.type !== 'SESSION_STARTED') throw new Error(JSON.stringify(outcome));
      return outcome.incarnation;
    },
    scan: async (...known: Incarnation[]) => {
      const outcome = await scanner({ type: 'scan', id: { name: 'x' }, known }, never);
      if (outcome.type !== 'SESSIONS_SEEN') throw new Error(JSON.stringify(outcome));
      return outcome;
    },
    /** Which of these starts nothing is in the way of any more. */
    free: async (...waits: WaitingStart[]): Promise<readonly string[]> => {
      const outcome = await scanner({ type: 'scan', id: { name: 'x' }, known: [], waits }, never);
      return outcome.type === 'SESSIONS_SEEN' ? (outcome.free ?? []) : [];
    },
    specOf: (spec: Partial<SessionSpec>) => specOf(spec, server.dir),
    clear: (target: Incarnation, unsaved = false, byForce = false) =>
      clearer({ type: 'clear', id: { name: 'c' }, target, tree: [target.agent], unsaved, byForce }, never),
    /** What was told about panes that could not be saved: why, or null for one that could. */
    told,
    adopt: (name: string, process: string | null = null, uuid: string = randomUUID()) =>
      adopter({ type: 'adoptSession', id: { name: 'a' }, name, process, tags: ['mine'], uuid }, never),
    /** Names, but for the control-mode client's own. */
    sessions: async (): Promise<string[]> => {
      const names = await server.tmux('list-sessions', '-F', '#{session_name}').catch(() => '');
      return names.split('\n').filter((name) => name !== '' && !name.startsWith('_townwatch-'));
    },
    deaths: (): string => {
      try {
        return readFileSync(join(root, 'daemon', 'deaths.log'), 'utf8');
      } catch {
        return ''; // No agent died yet.
      }
    },
    [Symbol.asyncDispose]: async () => {
      await tmux.close();
      await server.close();
    },
  };
}

function specOf(spec: Partial<SessionSpec>, dir: string): SessionSpec {
  const whole = { name: 'agent', command: ['sleep', '100000'], tags: [], restart: 'transient', process: null } as const;
  return { ...whole, dir, ...spec };
}

/** Waits for as long as the test may last. */
export async function until(truth: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await truth())) await pause(10);
}

export function environmentOf(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [entry.split('=', 1)[0] ?? '', entry.slice(entry.indexOf('=') + 1)]),
  );
}

export function argvOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').split('\0');
}

/** A program that writes what it was given to `file` and stays. */
export function shower(file: string): string {
  const path = `${file}.sh`;
  const shows = `{ pwd; for a; do printf '<%s>\\n' "$a"; done; } > '${file}.tmp'; mv '${file}.tmp' '${file}'`;
  writeFileSync(path, `#!/bin/sh\n${shows}; exec sleep 100000\n`, { mode: 0o700 });
  return path;
}
