/**
 * The files of this package that are no modules, or are run as programs. The built package has all modules in one folder,
 * as this one lies in src/: a path from here is the same in both, and nobody else asks where its own file is.
 */
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const HERE = import.meta.dirname;
const ENDING = extname(import.meta.filename);

/** Built, and not sources from which Node has to strip the types. */
export const IS_BUILT = ENDING !== '.ts';

/** The file of `path`, as it is named below src/. */
export const shippedFile = (path: string): string => join(HERE, path);

/** The file of a program of ours: `main`, `guard/main`. */
export const programFile = (name: string): string => shippedFile(`${name}${ENDING}`);

/** The file that runs as `town`, whatever Node it is called with. */
export const TOWN = shippedFile('town.cjs');

/** `0.1.0`. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(shippedFile('../package.json'), 'utf8')) as { version?: unknown };
  return String(version);
}
