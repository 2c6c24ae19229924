/** Whether tmux would find a program where a session's agents are started, as far as a server that runs tells. Looks only. */
import type { Disk } from '../../state/files/disk.ts';
import { missingProgram } from '../proc/find-program.ts';
import { pathBelow } from '../proc/environment.ts';
import { isShellWord } from '../proc/shell-word.ts';
import { TmuxError } from '../tmux/errors.ts';
import { doorTo, type Place } from './scene.ts';

/** Why it is not found, as a sentence; null = it is, or that is unknown before a server runs. */
export async function missingIn(
  place: Place,
  disk: Disk,
  { program, dir }: { readonly program: string; readonly dir: string },
): Promise<string | null> {
  if (program.includes('/')) return missingProgram(program, dir, null);
  const tmux = await doorTo(place, disk);
  try {
    return missingProgram(program, dir, pathBelow(await tmux.call(['show-environment', '-g'])));
  } catch (error) {
    if (error instanceof TmuxError) return null;
    throw error;
  }
}

/** A text for the shell begins with a program where its first word is a plain one. */
const FIRST_WORD = /^[\w./~+-]+(?=\s|$)/;

/** As `missingIn`, of the program that a command starts with; null also where that cannot be read off it. */
export async function missingCommand(
  place: Place,
  disk: Disk,
  { words, dir }: { readonly words: readonly string[]; readonly dir: string },
): Promise<string | null> {
  const [program = '', flag, text = ''] = words;
  const isText = program === '/bin/sh' && flag === '-c' && words.length === 3;
  const first = isText ? FIRST_WORD.exec(text)?.[0] : program;
  if (first === undefined || (isText && !first.includes('/') && (await isShellWord(first)))) return null;
  // A path below the home folder is the shell's to read, and a relative one of a polecat belongs into its worktree.
  if (first.startsWith('~') || (first.includes('/') && !first.startsWith('/'))) return null;
  return missingIn(place, disk, { program: first, dir });
}
