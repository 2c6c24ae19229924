/**
 * Runs a command that a person named, with one JSON object on stdin. Never blocks and never fails the town: its end, its limit and
 * its failure are reported to the caller.
 */
import { spawn } from 'node:child_process';
import { span } from '../../machines/kernel/span.ts';
import type { Ms } from '../../machines/protocol.ts';
import { clean } from '../terminal/print.ts';
import { scrubbedEnvironment } from './environment.ts';

export interface CommandOptions {
  /** Its key, for sentences. */
  readonly of: string;
  /** Program and arguments, run without a shell. */
  readonly command: readonly string[];
  /** It is ended after this. */
  readonly limitMs: Ms;
}

/** Resolves with null when the command ended with 0, else with one sentence about what went wrong. Never rejects. */
export function runCommand({ of, command, limitMs }: CommandOptions, about: object): Promise<string | null> {
  const [program, ...args] = command;
  if (program === undefined) return Promise.resolve(`${of} is empty: name a program`);
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
      resolve(`${of} ${program} could not be run: ${error.message}`);
    });
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(null);
      else if (code !== null) resolve(`${of} ${program} ended with exit code ${String(code)}`);
      else resolve(`${of} ${program} was ended by ${signal ?? 'a signal'}; it has ${span(limitMs)}`);
    });
    // A command that does not read its stdin is fine.
    child.stdin.on('error', () => undefined);
    child.stdin.end(
      `${JSON.stringify(about, (_, value: unknown) => (typeof value === 'string' ? clean(value, 'lines') : value))}\n`,
    );
  });
}
