/** A process that stands for Claude Code, with a home of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proc } from '../../../machines/protocol.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { claudePort } from '../../../src/sources/claude.ts';
import { NONE_HELD } from '../../../src/sources/held-questions.ts';
import type { Heard } from '../../../src/sources/port.ts';
import { tempFolder, whenOver } from '../../world/over.ts';
import { begun } from './begun.ts';

export const ID = '83e007c0-2e57-458e-912f-25304f75f9d8';
export const SINCE = Date.UTC(2026, 10, 27, 12);
const processes = createProcesses();

export interface Agent {
  readonly home: string;
  readonly proc: Proc;
  readonly folder: string;
  readonly file: string;
  /** As Claude Code 2.1.330 writes it. */
  write(more?: object, raw?: (text: string) => string): void;
  hear(): Promise<Heard | null>;
  kill(): Promise<void>;
}

/** A process that stands for Claude Code, with a home of its own. */
export async function agent(config: string | null = null): Promise<Agent> {
  const home = tempFolder('town-claude');
  const folder = join(config === null ? join(home, '.claude') : join(home, config), 'sessions');
  mkdirSync(folder, { recursive: true });
  const env = { HOME: home, ...(config !== null && { CLAUDE_CONFIG_DIR: join(home, config) }) };
  const child = spawn('sleep', ['300'], {
    argv0: 'claude',
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  });
  whenOver(() => child.kill('SIGKILL'));
  const pid = await begun(child, 'claude');
  const proc = processes.proc(pid);
  if (proc === null) throw new Error('it ended at once');
  const file = join(folder, `${pid}.json`);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const ear = claudePort({ processes, held: NONE_HELD, wall: () => Date.now() }).open(proc, null);
  if (ear === null) throw new Error('nothing to hear');
  return {
    home,
    proc,
    folder,
    file,
    write: (more = {}, raw = (text) => text) => {
      const session = {
        pid,
        sessionId: ID,
        cwd: home,
        startedAt: SINCE,
        procStart,
        version: '2.1.330',
        peerProtocol: 1,
        kind: 'interactive',
        entrypoint: 'cli',
        tmux: 'a1:@1.%1',
        status: 'busy',
        updatedAt: SINCE,
        statusUpdatedAt: SINCE,
      };
      writeFileSync(file, raw(JSON.stringify({ ...session, ...more })));
    },
    hear: () => ear.hear(),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
