/** A tmux server of a test's own: a private socket in a temporary folder, ended by that socket. For every room's tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { scrubbedEnvironment } from '../../src/proc/environment.ts';

export interface TestServer extends AsyncDisposable {
  readonly socketPath: string;
  /** The private folder: the socket, the configuration, and what the test puts there. Removed by `close`. */
  readonly dir: string;
  /** The environment to call tmux in: its HOME has `conf` as tmux.conf, so that a server started by anybody reads it. */
  readonly env: Record<string, string>;
  /** Runs tmux on the socket and resolves with its output; rejects when tmux complains. Starts no server by itself unless told. */
  tmux(...args: string[]): Promise<string>;
  /** Ends the server, by any starter, and removes the folder. */
  close(): Promise<void>;
}

export interface ServerOptions {
  /** Text of the tmux.conf. Default: none. It is read after `session` was made, else when a server is started. */
  readonly conf?: string;
  /** Name of a session to start with, running `sleep`; null = no server is started. Default: `base`. */
  readonly session?: string | null;
}

/** What a user's tmux.conf may hold and still has to work. */
export const HOSTILE_CONF = `
set -g base-index 1
setw -g pane-base-index 1
set -g renumber-windows on
set -g default-command 'cat'
set -g default-shell /bin/false
setw -g remain-on-exit on
set -g detach-on-destroy off
set -g destroy-unattached on
set -g status-interval 1
set -g automatic-rename on
set-hook -g after-new-session 'rename-session renamed; rename-window bad; run-shell "sleep 0.1"; new-session -d -s intruder sleep 1000'
set-hook -g after-list-panes 'display-message -p "hooked $0 %0"'
set-hook -g pane-died 'kill-pane'
set-hook -g after-rename-session 'rename-window again'
`;

export async function withServer({ conf = '', session = 'base' }: ServerOptions = {}): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'tmux-'));
  const socketPath = join(dir, 's');
  writeFileSync(join(dir, '.tmux.conf'), conf);
  const env: Record<string, string> = { ...scrubbedEnvironment(process.env), HOME: dir, XDG_CONFIG_HOME: dir };
  const call = async (...args: string[]): Promise<string> =>
    (await execa('tmux', ['-u', '-S', socketPath, ...args], { env, extendEnv: false, cwd: '/' })).stdout;
  const close = async (): Promise<void> => {
    await call('kill-server').catch(() => undefined); // A test may have ended it already.
    // A shell that is hung up still writes its history there.
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
  };
  try {
    if (session !== null) await firstSession(call, session, join(dir, '.tmux.conf'));
  } catch (error) {
    await close();
    throw error;
  }
  return { socketPath, dir, env, tmux: call, close, [Symbol.asyncDispose]: close };
}

/** The configuration comes after the session, so that it is there though the configuration may end sessions. */
async function firstSession(tmux: TestServer['tmux'], name: string, conf: string): Promise<void> {
  await tmux('-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', '-s', name, 'sleep', '100000');
  await tmux('set-option', '-t', `=${name}:`, 'destroy-unattached', 'off');
  await tmux('source-file', conf);
}
