/** The folder where Node keeps what it compiled for the command line: outside of every root, and no loss when it goes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../files/disk.ts';
import { privateFolder } from '../files/layout.ts';
import { faultAt } from '../files/ownership.ts';

const PRIVATE_FOLDER = 0o700;

/**
 * In the folder of this user below `parent`; null = none can be made there, or it is not ours: what others compiled would run
 * as us. Made here, since Node's own way never ends where a file system makes no folders (/proc).
 */
export function compileCacheIn(parent: string): string | null {
  const folder = join(parent, privateFolder(), 'node-compile-cache');
  try {
    for (const path of [join(folder, '..'), folder]) make(path);
    return faultAt(folder) === null ? folder : null;
  } catch {
    return null;
  }
}

function make(folder: string): void {
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
