/** What a process is, in words: its command, its terminal, and whether it is a shell waiting for a person's line (law 12). */
import { basename } from 'node:path';
import type { Command } from './source.ts';

export interface Description extends Command {
  readonly pid: number;
  readonly ppid: number;
  /** Path of its controlling terminal; null = none. */
  readonly tty: string | null;
  /** A shell on a terminal that was given no script and no command. `bash agent.sh` is none. */
  readonly interactiveShell: boolean;
}

const SHELL = /^(ash|bash|csh|dash|elvish|fish|ksh|mksh|nu|pwsh|sh|tcsh|xonsh|zsh)$/;
/** Options whose next word is their value, not a script. */
const TAKES_VALUE = ['--rcfile', '--init-file', '-o', '+o', '-O', '+O', '--init-command', '-C'];

/** What people call a program; null = it is gone. */
export const programOf = (command: Command | null): string =>
  basename(command?.argv[0] ?? '') || (command?.comm ?? 'gone');

/** True = what is typed there is run as a command line. A process without a terminal is never one. */
export function isInteractiveShell(command: Command, tty: string | null): boolean {
  const [argv0 = '', ...args] = command.argv;
  // `bash agent.sh` has the script's name as comm, so the program is identified by its file, then by the word it was
  // called by.
  const names = [command.exe ?? argv0, argv0].map((file) => basename(file).replace(/^-/, ''));
  return tty !== null && names.some((name) => SHELL.test(name)) && !hasTask(args);
}

function hasTask(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--' || word === '-') return at + 1 < args.length;
    if (TAKES_VALUE.includes(word)) at += 1;
    else if (word === '--command' || /^-[A-Za-z]*c/.test(word)) return true;
    else if (!/^[-+]/.test(word)) return true;
  }
  return false;
}
