/** Repositories that many tests begin with: git makes each once in a process, and every test gets a copy. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orNull } from '../../state/files/or-null.ts';

/** Files in which git names folders by their whole path. */
const NAMING = ['work/.git/config', 'repo/.git/config', 'work/.git/worktrees/nux/gitdir', 'polecats/nux/.git'];

export interface Prepared {
  /** Puts a copy of all that was made into an empty folder. */
  copyTo(root: string): void;
}

/** `make` makes it and returns the folder that holds everything. */
export function prepared(make: () => string): Prepared {
  let kept: { readonly folder: string; readonly madeAt: string } | undefined;
  const keep = (): { readonly folder: string; readonly madeAt: string } => {
    const madeAt = make();
    const folder = mkdtempSync(join(tmpdir(), 'prepared-'));
    cpSync(madeAt, folder, { recursive: true });
    process.once('exit', () => orNull(() => rmSync(folder, { recursive: true, force: true })));
    return { folder, madeAt };
  };
  return {
    copyTo: (root) => {
      const { folder, madeAt } = (kept ??= keep());
      cpSync(folder, root, { recursive: true });
      for (const file of NAMING.map((name) => join(root, name)).filter(existsSync))
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll(madeAt, root));
    },
  };
}
