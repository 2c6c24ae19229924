/** Processes that run one command after the other (programs/warm.ts): as many as commands run at a time. They end with this one. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Answered, Asked } from './programs/warm.ts';
import type { Ran } from './town.ts';

const idle: ChildProcess[] = [];

export function runWarm(asked: Asked): Promise<Ran> {
  const child = idle.pop() ?? started();
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null): void =>
      reject(new Error(`${asked.argv.join(' ')}: its process ended early, with ${String(code ?? signal)}`));
    child.once('exit', onExit);
    child.once('message', ({ isLast, ...ran }: Answered) => {
      child.off('exit', onExit);
      if (!isLast) idle.push(child);
      resolve(ran);
    });
    child.send(asked);
  });
}

function started(): ChildProcess {
  const { PATH = '', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = fork(join(import.meta.dirname, 'programs/warm.ts'), [inject('main')], {
    cwd: '/',
    execArgv: [],
    env: {
      PATH,
      ...(TMPDIR !== undefined && { TMPDIR }),
      ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.once('exit', () => {
    const at = idle.indexOf(child);
    if (at >= 0) idle.splice(at, 1);
  });
  return child;
}
