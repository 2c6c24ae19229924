/** A door to a tmux server of the test. */
import { readFileSync, readdirSync } from 'node:fs';
import { createProcesses } from '../../src/proc/processes.ts';
import { ControlTmux, type ControlTmuxOptions } from '../../src/tmux/client.ts';
import { untilOver } from '../world/over.ts';
import { withServer, type ServerOptions, type TestServer } from './server.ts';

export const policy = { tmuxAnswerMs: 5_000, columns: 200, rows: 50 };

export async function door(options: Partial<ControlTmuxOptions> = {}, serverOptions: ServerOptions = {}) {
  const server = untilOver(await withServer(serverOptions));
  const { socketPath, env } = server;
  const made = new ControlTmux({ socketPath, env, policy, processes: createProcesses(), ...options });
  untilOver({ [Symbol.asyncDispose]: () => made.close() });
  return { server, door: made };
}

export const sessions = async (server: TestServer): Promise<string[]> =>
  (await server.tmux('list-sessions', '-F', '#{session_name}')).split('\n').filter((name) => name !== '');

/** Pids whose command line names the socket: the server, and its clients. */
export function processesOf(path: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(path);
    } catch {
      return false; // It ended meanwhile.
    }
  });
}
