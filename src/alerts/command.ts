/**
 * `[notify] command`: runs the command that a person named, with one JSON object on stdin. Only `Bell` does so, which knows how often.
 * Never blocks and never fails the town: its end, its limit and its failure are reported to the caller.
 */
import { spawn } from 'node:child_process';
import { span } from '../../machines/kernel/span.ts';
import type { Ms } from '../../machines/protocol.ts';
import { scrubbedEnvironment } from '../proc/environment.ts';
import { clean } from '../terminal/print.ts';
import type { Notice } from './notify.ts';

export interface NotifyOptions {
  /** Program and arguments, run without a shell. */
  readonly command: readonly string[];
  /** It is ended after this. */
  readonly limitMs: Ms;
}

/** Resolves with null when the command ended with 0, else with one sentence about what went wrong. Never rejects. */
export function notifyPerson({ command, limitMs }: NotifyOptions, notice: Notice): Promise<string | null> {
  const [program, ...args] = command;
  if (program === undefined) return Promise.resolve('[notify] command is empty: name a program');
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      // Also an agent may write to the person: what answers is the person's, and has no token of the agent's.
      env: scrubbedEnvironment(process.env),
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    child.on('error', (error) => {
      resolve(`[notify] command ${program} could not be run: ${error.message}`);
    });
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(null);
      else if (code !== null) resolve(`[notify] command ${program} ended with exit code ${String(code)}`);
      else resolve(`[notify] command ${program} was ended by ${signal ?? 'a signal'}; it has ${span(limitMs)}`);
    });
    // A command that does not read its stdin is fine.
    child.stdin.on('error', () => undefined);
    child.stdin.end(
      `${JSON.stringify(notice, (_, value: unknown) => (typeof value === 'string' ? clean(value, 'lines') : value))}\n`,
    );
  });
}
