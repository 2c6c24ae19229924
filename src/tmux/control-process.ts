/** The process of a control-mode client: how it starts, what it prints, how it ends. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import { codeOf, textOf } from '../../state/files/disk.ts';
import { TmuxError } from './errors.ts';
import { words, type Place } from './exec.ts';

/** Cut at line feeds alone: names and folders may hold every other kind of line break. */
export function onLines(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}

/** Resolves with why, once all that it printed is read. */
export const waitForEnd = (child: ChildProcessWithoutNullStreams): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`tmux: ${codeOf(error)}`));
    child.once('close', () => resolve('the tmux client ended'));
  });

export interface ClientSize {
  readonly place: Place;
  readonly columns: number;
  readonly rows: number;
  /** Whether a server may be started when none runs. */
  readonly start: boolean;
}

/** By Node's own spawn, as in exec.ts. Throws TmuxError `unknown` where the system has no room for another program. */
export function spawnClient(
  { place, columns, rows, start }: ClientSize,
  hidden: string,
  token: string,
): ChildProcessWithoutNullStreams {
  const session = [
    'new-session',
    '-f',
    'ignore-size,no-output',
    '-P',
    '-F',
    `${token} #{session_id}`,
    '-s',
    hidden,
    '-x',
    String(columns),
    '-y',
    String(rows),
    // Longer than any town; no shell of the user's is involved.
    '--',
    'env',
    '-i',
    'sleep',
    '2147483647',
  ];
  const commands = [
    session,
    // Not by destroy-unattached: tmux crashes, with everybody's sessions, when it destroys a session by that option while a
    // client of it is about to exit. kill-session lets the clients go first.
    ['set-option', 'destroy-unattached', 'off'],
    ['set-option', 'detach-on-destroy', 'on'],
    ['set-option', '@town_hidden', '1'],
  ];
  const args = ['-u', ...(start ? [] : ['-N']), '-S', place.socketPath, '-C', ...words(commands)];
  // Neither our end nor a Ctrl-C at our terminal may kill it.
  return withStreams(() => spawn(place.binary, args, { cwd: '/', env: { ...place.env }, detached: true }));
}

function withStreams(start: () => ChildProcessWithoutNullStreams): ChildProcessWithoutNullStreams {
  const none = (cause: unknown): TmuxError =>
    new TmuxError('unknown', `tmux could not be started: ${textOf(cause)}`, { cause });
  let child: ChildProcessWithoutNullStreams;
  try {
    child = start();
  } catch (cause) {
    throw none(cause);
  }
  // Without a descriptor left there are no streams, and the reason comes as an event.
  if ((child as Partial<typeof child>).stdin !== undefined) return child;
  child.once('error', () => undefined);
  throw none('no descriptor is left for its streams');
}
