/**
 * `[notify] command`: tells a person, by running the command they named with one JSON object on stdin.
 * Never blocks and never fails the town: its end, its limit and its failure are reported to whoever asked.
 */
import { spawn } from 'node:child_process';
import type { Ms, WallMs } from '../../machines/protocol.ts';
import type { Message } from '../../state/mail/mailbox.ts';
import { asks } from './news.ts';
import { scrubbedEnvironment } from '../proc/environment.ts';
import { span } from '../../machines/kernel/span.ts';

/** What the command reads: one line of JSON. */
export interface Notice {
  readonly schema: 'notice/1';
  /** `alert`, `recovered`, `guard`, `mail`. */
  readonly kind: string;
  readonly text: string;
  /** ISO time. */
  readonly at: string;
  readonly [more: string]: unknown;
}

export interface NotifyOptions {
  /** Program and arguments, run without a shell. */
  readonly command: readonly string[];
  /** It is ended after this. */
  readonly limitMs: Ms;
}

/** A message in the person's mailbox, as their command is told of it. */
export function mailNotice(
  message: Pick<Message, 'id' | 'from' | 'subject' | 'urgent' | 'via'> & { sentAt: WallMs },
): Notice {
  const { id, from, subject, urgent, sentAt } = message;
  const at = new Date(sentAt).toISOString();
  const question = asks(message);
  const text = `mail from ${from}: ${subject}`;
  const type = question ? [`town mail read ${id}`] : [];
  return { schema: 'notice/1', kind: 'mail', text, at, id, from, subject, urgent, question, type };
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
    child.stdin.end(`${JSON.stringify(notice)}\n`);
  });
}

/** A notifier that complains once per run of failures, so that a broken command does not flood the log. */
export function createNotifier(
  options: NotifyOptions | null,
  complain: (text: string) => void,
): (notice: Notice) => Promise<void> {
  let failing = false;
  return async (notice) => {
    if (options === null) return;
    const failure = await notifyPerson(options, notice);
    if (failure !== null && !failing) complain(failure);
    failing = failure !== null;
  };
}
