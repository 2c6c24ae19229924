/**
 * Which version of a program runs, by its file alone: programs are not started to be asked. A path may name it, a package beside
 * its script or its file does, and what was installed for Python stands beside its interpreter's library.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { orNull } from '../../state/files/or-null.ts';
import { scriptOf } from './agents.ts';
import type { Program } from './screen.ts';

const IN_PATH = /\/(?:versions|Cellar\/[^/]+)\/v?(?<version>\d+\.\d+\.\d+[\w.-]*)/;
const NUMBER = /^\d+\.\d+[\w.]*/;

/** null = nothing tells it. Only absolute paths count: a program's own folder may have changed since. */
export function versionOf(program: Program): string | null {
  const script = scriptOf(program);
  // The file of an interpreter has a version of its own.
  const named = script === '' ? [program.exe ?? '', program.argv[0] ?? ''] : [script];
  const files = named.filter((file) => file.startsWith('/')).map(real);
  for (const tell of [inPath, inPackage, inPython]) {
    const version = files.map(tell).find((found) => found !== null);
    if (version !== undefined) return version;
  }
  return null;
}

/** Whether the one is the other or a later one, by their first three numbers. */
export function isSince(version: string, first: string): boolean {
  const numbers = (text: string): number[] => text.split('.', 3).map((part) => Number.parseInt(part, 10) || 0);
  const [one, other] = [numbers(version), numbers(first)];
  const at = other.findIndex((number, nth) => number !== (one[nth] ?? 0));
  return at === -1 || (one[at] ?? 0) > (other[at] ?? 0);
}

/** Of what was replaced or removed since it was started, its path may still tell. */
const real = (file: string): string => orNull(() => realpathSync(file)) ?? file;
const inPath = (file: string): string | null => IN_PATH.exec(file)?.groups?.['version'] ?? null;

/** The nearest package that has a version, up to the folder that packages are installed in. */
function inPackage(file: string): string | null {
  for (let dir = dirname(file); dir.includes('/node_modules/'); dir = dirname(dir)) {
    const version = versionIn(join(dir, 'package.json'));
    if (version !== null) return version;
  }
  return null;
}

/** null also where no package begins. */
function versionIn(file: string): string | null {
  const { version } = orNull(() => JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown }) ?? {};
  return typeof version === 'string' ? (NUMBER.exec(version)?.[0] ?? null) : null;
}

/** `bin/aider` was installed from `aider_chat-0.86.2.dist-info`. */
function inPython(file: string): string | null {
  const name = basename(file);
  const library = join(dirname(dirname(file)), 'lib');
  for (const python of namesIn(library).filter((folder) => folder.startsWith('python'))) {
    for (const info of namesIn(join(library, python, 'site-packages'))) {
      const [, program = '', version] = /^([^-]+)-(\d[\w.]*)\.dist-info$/.exec(info) ?? [];
      if (version !== undefined && (program === name || program.startsWith(`${name}_`))) return version;
    }
  }
  return null;
}

const namesIn = (folder: string): string[] => orNull(() => readdirSync(folder)) ?? [];
