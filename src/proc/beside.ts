/** A command of the town in a process of its own, beside its starter: the starter's end does not end it. */
import { spawn } from 'node:child_process';
import { TOWN } from '../package.ts';
import { scrubbedEnvironment } from './environment.ts';
import { node } from './node.ts';

/** Its end is not waited for, nor that it began. */
export function startTown(root: string, words: readonly string[]): void {
  const child = spawn(node.find(), [TOWN, '--root', root, ...words], {
    cwd: '/',
    env: scrubbedEnvironment(process.env),
    stdio: 'ignore',
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
}
