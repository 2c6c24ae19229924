/** Renames the entries of a folder whose names are no UTF-8: no other call of the disk can reach them. */
import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';

/** The new names. `wanted` is asked with the name as `list` shows it. An entry that cannot be renamed stays. */
export async function nameAnew(
  folder: string,
  wanted: (shown: string) => boolean,
  newName: () => string,
): Promise<string[]> {
  const named: string[] = [];
  for (const bytes of await fs.readdir(folder, { encoding: 'buffer' })) {
    if (isUtf8(bytes) || !wanted(bytes.toString())) continue;
    const name = newName();
    const isNamed = await fs.rename(Buffer.concat([Buffer.from(`${folder}/`), bytes]), join(folder, name)).then(
      () => true,
      () => false,
    );
    if (isNamed) named.push(name);
  }
  return named;
}
