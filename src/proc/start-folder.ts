/** Whether a program can be started in a folder. */
import { accessSync, constants, statSync } from 'node:fs';

/** Why it cannot, as the end of a sentence; null = it can. */
export function unfitFolder(path: string): string | null {
  try {
    if (!statSync(path).isDirectory()) return 'is no folder';
    accessSync(path, constants.X_OK);
    return null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'does not exist' : `cannot be entered (${code})`;
  }
}
