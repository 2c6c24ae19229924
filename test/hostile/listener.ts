/** Another user's program that listens on a unix socket and keeps all it is told. Started with its uid; ended by its pid. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const PROGRAM = `
const [socket, heard] = process.argv.slice(1);
const { appendFileSync, chmodSync } = require('node:fs');
require('node:net').createServer((caller) => {
  appendFileSync(heard, 'called\\n');
  caller.on('data', (bytes) => appendFileSync(heard, bytes)).on('error', () => undefined);
}).listen(socket, () => { chmodSync(socket, 0o777); appendFileSync(heard, ''); });
`;

export interface Listener extends AsyncDisposable {
  /** All that was said to it. */
  heard(): string;
}

/** Listens once it resolves. `heard`: where it writes, a folder of its own. */
export async function listenAs(uid: number, socket: string, heard: string): Promise<Listener> {
  const as = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', process.execPath, '-e', PROGRAM];
  const child = spawn('setpriv', [...as, socket, heard], { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'], env: {} });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  while (!existsSync(heard)) {
    if (child.exitCode !== null) throw new Error('no program listens');
    await pause(20);
  }
  return {
    heard: () => readFileSync(heard, 'latin1'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
