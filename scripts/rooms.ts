/**
 * Where the project's sources lie, for every check that must not overlook one. The checks ask the disk, not a list of
 * files, so a tree that grows stays checked.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The top folders that hold TypeScript. */
export const ROOMS = ['machines', 'state', 'src', 'test', 'scripts'] as const;
export type Room = (typeof ROOMS)[number];

/** The rooms that are shipped. */
export const PRODUCT: readonly Room[] = ['machines', 'state', 'src'];

/** Paths of the TypeScript files of a room, relative to `root`, sorted. A room that does not exist has none. */
export function sourcesOf(root: string, room: Room): string[] {
  if (!existsSync(join(root, room))) return [];
  return readdirSync(join(root, room), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
    .sort();
}
