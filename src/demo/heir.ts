/**
 * Who strikes the stage of a demo that was killed: a small shell that waits for one line from the demo. A demo that is gone
 * leaves the end of its pipe, told by the kernel; then the shell becomes `orphaned.ts`. Nothing polls.
 */
import { spawn } from 'node:child_process';
import { ownProgram } from '../guard/launch.ts';
import { scrubbedEnvironment } from '../proc/environment.ts';

/** What it returns dismisses the heir, once all is struck; that resolves when the shell is gone. */
export function appointHeir(root: string, keep: boolean): () => Promise<void> {
  const words = [...ownProgram('demo/orphaned'), root, ...(keep ? ['--keep'] : [])];
  // In a session of its own: neither Ctrl-C nor a closed terminal is for it.
  const shell = spawn('/bin/sh', ['-c', 'read -r _ || exec "$@"', 'sh', ...words], {
    // The striking process must not have the mark by which it finds its targets: the stage's HOME.
    cwd: '/',
    detached: true,
    env: scrubbedEnvironment(process.env),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => {
    shell.on('exit', () => resolve());
    // A machine that starts nothing any more: the demo is played without one.
    shell.on('error', () => resolve());
  });
  shell.stdin.on('error', () => undefined); // It ended by itself; that is told by the exit.
  return () => {
    shell.stdin.end('struck\n');
    return gone;
  };
}
