/** Real processes for the tests of this folder: each leads its own group, and what is left is ended by pid. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { tempFolder, whenOver } from '../world/over.ts';

const POLL_MS = 20;
/** Longer than any machine is slow, shorter than a test may take: who waits in vain says for what. */
const MAX_POLLS = 5_000;

export const table = createProcesses();

/** Started processes and a scratch folder `dir`, until the test is over: then the groups are killed and the folder goes. */
export class Yard {
  readonly dir = tempFolder('town-proc');
  readonly #leaders: ChildProcess[] = [];
  readonly #others: Proc[] = [];

  constructor() {
    whenOver(() => this.#end());
  }

  /** A bash program that leads its own session, as a pane's command does. Resolves once it has written `ready`. */
  async bash(script: string, env: Record<string, string> = {}): Promise<Proc> {
    const ready = join(this.dir, `ready-${this.#leaders.length}`);
    const child = spawn('bash', ['-c', script], {
      detached: true,
      stdio: 'ignore',
      cwd: this.dir,
      env: { PATH: process.env['PATH'], READY: ready, DIR: this.dir, ...env },
    });
    this.#leaders.push(child);
    await until(() => existsSync(ready), `${script} to get ready`);
    return here(child.pid ?? 0);
  }

  /** The process whose pid a program wrote to the file `name`. */
  async written(name: string): Promise<Proc> {
    const file = join(this.dir, name);
    await until(() => existsSync(file) && /^\d+\n$/.test(readFileSync(file, 'utf8')), name);
    const proc = here(Number(readFileSync(file, 'utf8')));
    this.#others.push(proc);
    return proc;
  }

  /** Ends the process with the pid and waits until its parent, this test, has reaped it. */
  async reap(proc: Proc): Promise<void> {
    const child = this.#leaders.find((one) => one.pid === proc.pid);
    if (child === undefined) throw new Error(`pid ${proc.pid} was not started here`);
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await ended;
  }

  keep(procs: readonly Proc[]): void {
    this.#others.push(...procs);
  }

  async #end(): Promise<void> {
    // Through the table, which refuses to end this test itself.
    for (const proc of this.#others) table.signal(proc, 'KILL');
    const running = this.#leaders.filter((child) => child.exitCode === null && child.signalCode === null);
    const ends = running.map((child) => once(child, 'exit'));
    for (const child of running) killGroup(child);
    await Promise.all(ends);
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
}

export function here(pid: number): Proc {
  const proc = table.proc(pid);
  if (proc === null) throw new Error(`no process ${pid}`);
  return proc;
}

export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    if (holds()) return;
    await pause(POLL_MS);
  }
  throw new Error(`waited in vain for ${what}`);
}

export function lifeOf(agent: Proc, more: Partial<Incarnation> = {}): Incarnation {
  return {
    uuid: '11111111-2222-4333-8444-555555555555',
    session: 'gt-max',
    server: { pid: 2 ** 22 + 1, started: 'none' },
    sessionId: '$1',
    paneId: '%1',
    agent,
    origin: 'started',
    ...more,
  };
}

export const pids = (procs: readonly Proc[]): number[] => procs.map((proc) => proc.pid).sort((a, b) => a - b);
