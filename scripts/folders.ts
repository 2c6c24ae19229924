/**
 * How the folders of the shipped rooms lie beside each other: whether two need each other, directly or by way of others, and
 * which files lie in no folder though they should. A folder counts with all that is below it.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { PRODUCT, sourcesOf } from './rooms.ts';

/** Files that lie beside the folders of a room: lists that name each subsystem in a line, and what every room stands on. */
const LOOSE: Readonly<Record<string, readonly string[]>> = {
  machines: ['town.ts', 'policy.ts', 'protocol.ts', 'alert-kinds.ts', 'charts.ts'],
  state: ['store.ts', 'journal.ts', 'records.ts', 'folders.ts'],
  src: ['main.ts', 'package.ts'],
};
/** What a file counts for: its folder, `src/tmux`; beside the folders itself, or the folder of its name. */
const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/').replace(/\.ts$/, '');

/** Which folder needs which others, and one import that shows it: from -> to -> `file -> file`. */
export function needsOf(root: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const needs = new Map<string, Map<string, string>>();
  for (const path of PRODUCT.flatMap((room) => sourcesOf(root, room))) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'), true, true);
    for (const { fileName } of importedFiles.filter((one) => one.fileName.startsWith('.'))) {
      const to = join(dirname(path), fileName);
      const [one, other] = [folderOf(path), folderOf(to)];
      if (one === other) continue;
      const of = needs.get(one) ?? new Map<string, string>();
      needs.set(one, of.set(other, of.get(other) ?? `${path} -> ${to}`));
    }
  }
  return needs;
}

/** Folders that need each other: each group with the imports that close the circle. */
export function circlesIn(root: string): string[] {
  const needs = needsOf(root);
  const reach = (from: string): ReadonlySet<string> => {
    const reached = new Set<string>();
    const todo = [from];
    for (let next = todo.pop(); next !== undefined; next = todo.pop())
      for (const to of needs.get(next)?.keys() ?? []) if (!reached.has(to)) todo.push((reached.add(to), to));
    return reached;
  };
  const reaches = new Map([...needs.keys()].map((folder) => [folder, reach(folder)]));
  return [...needs].flatMap(([one, of]) =>
    [...of].flatMap(([other, shown]) => (reaches.get(other)?.has(one) === true ? [shown] : [])),
  );
}

/** Files that lie beside the folders of a room without being one of its lists. */
export const looseIn = (root: string): string[] =>
  PRODUCT.flatMap((room) =>
    sourcesOf(root, room).filter(
      (path) => dirname(path) === room && LOOSE[room]?.includes(path.slice(room.length + 1)) !== true,
    ),
  );
