/** A shell whose folder was removed: no path can be read from there, and Node says only that `uv_cwd` failed. */
import { isAbsolute } from 'node:path';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, note } from '../../terminal/print.ts';

/** Goes on in the root that the environment names. Throws Failure where it names none. */
export function leaveLostFolder({ PWD, TOWN_ROOT }: NodeJS.ProcessEnv = process.env): void {
  const folder = clean(PWD ?? 'in which this runs');
  if (TOWN_ROOT === undefined || !isAbsolute(TOWN_ROOT))
    throw new Failure(EXIT.failed, 'no_folder', `the folder ${folder} is gone; cd to another one, and type it again`);
  process.chdir(TOWN_ROOT);
  note(`the folder ${folder} is gone; this runs in ${clean(TOWN_ROOT)}`);
}
