/**
 * Whether what a root says of its processes is said of another root: a folder that was copied brings the records of the first one along,
 * and a command there must neither ask that one's town nor end it. A moved folder stands no more where it was.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from '../files/layout.ts';

/** `said`: the root that a record names; null = it names none. */
export const isOfAnotherRoot = (here: string, said: string | null): boolean =>
  said !== null && said !== here && !isSameFolder(said, here) && existsSync(join(said, FILES.lock));

export function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}
