/** The folder where Node keeps what it compiled for the command line: outside of every root, and no loss when it goes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './disk.ts';

/**
 * Node's own name for it below `parent`; null = none can be made there. Made here, since Node's own way never ends where a file
 * system makes no folders (/proc).
 */
export function compileCacheIn(parent: string): string | null {
  const folder = join(parent, 'node-compile-cache');
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return null;
  }
  return folder;
}
