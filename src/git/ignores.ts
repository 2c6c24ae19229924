/** What a person ignores everywhere. The repository's git runs without that person's configuration, but not without this. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isThere } from './history.ts';

/** As git finds it by itself; a program that keeps notes beside its work is entered there. */
export async function ownIgnores(): Promise<[string, string][]> {
  const folder = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const path = join(folder, 'git/ignore');
  return (await isThere(path).catch(() => false)) ? [['core.excludesFile', path]] : [];
}
