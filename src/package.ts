/**
 * The files of this package that are no modules, or are run as programs. The built package has all modules in one
 * folder, as this one lies in src/: a path from here is the same in both, and no other file asks for its own place.
 */
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { orNull } from '../state/files/or-null.ts';

const HERE = import.meta.dirname;
const ENDING = extname(import.meta.filename);

/** As in `engines` of package.json: with an older one parts of the package end in errors of Node's own. */
export const MIN_NODE = 24;

/** Built, and not sources from which Node has to strip the types. */
export const IS_BUILT = ENDING !== '.ts';

/** The file of `path`, as it is named below src/. */
export const shippedFile = (path: string): string => join(HERE, path);

/** The file of a program of ours: `main`, `guard/main`. */
export const programFile = (name: string): string => shippedFile(`${name}${ENDING}`);

/** The same file. Throws, as a sentence for a person, where it is missing: it came with the package. */
export function mustBeThere(file: string): string {
  if (existsSync(file)) return file;
  const text = `the package is not whole, it is half installed or was replaced meanwhile (${file} is missing); try again, or install it again: npm install -g townwatch`;
  throw Object.assign(new Error(text), { code: 'not_whole' });
}

/** The file that runs as `town`, with any Node. */
export const TOWN = shippedFile('town.cjs');

/** The Node of package.json's optionalDependencies for this system; null = it did not come with the package. */
export function shippedNode(): string | null {
  const { createRequire } = process.getBuiltinModule('node:module');
  return orNull(() => createRequire(TOWN).resolve(`node-${process.platform}-${process.arch}/bin/node`));
}

/** What of the package a start of the town reads first. */
export const ENTRIES = [TOWN, programFile('main'), programFile('guard/main'), shippedFile('../package.json')] as const;

/** Whether a start would find them. */
export const isWhole = (): boolean => ENTRIES.every((file) => existsSync(file));

/** `0.1.0`. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(shippedFile('../package.json'), 'utf8')) as { version?: unknown };
  return String(version);
}
