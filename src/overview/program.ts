/** Whether tmux would find a program where a session's agents are started, as far as a server that runs tells. Looks only. */
import type { Disk } from '../../state/files/disk.ts';
import { missingProgram } from '../proc/find-program.ts';
import { pathBelow } from '../proc/environment.ts';
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
