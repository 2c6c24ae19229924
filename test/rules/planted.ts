/**
 * A throw-away copy of the project with bad files planted in it, for the checks that must find them. Only the rules are
 * copied and what is planted: a check that overlooks a planted file overlooks a real one.
 */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOMS } from '../../scripts/rooms.ts';
import { freshFolder } from '../world/over.ts';

/** The project's own root. */
export const ROOT = join(import.meta.dirname, '../..');

const RULES = ['package.json', 'tsconfig.json', '.dependency-cruiser.js', 'eslint.config.js', 'knip.json'];

/** A copy with `files` (path -> text) planted; it goes with the test, or the file, that asked for it. */
export function plant(files: Readonly<Record<string, string>>): string {
  const root = freshFolder();
  for (const name of RULES) cpSync(join(ROOT, name), join(root, name));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const room of ROOMS) mkdirSync(join(root, room));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
