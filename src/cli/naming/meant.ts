/** Whether a person means this root: a town must not start in an unexpected place (F-1). */
import { readdirSync } from 'node:fs';
import { FILES, FOLDERS, PACKS } from '../../../state/files/layout.ts';
import { homeFolder } from '../../../state/files/user.ts';
import { isSameFolder } from '../../../state/process/copied-root.ts';
import { terminal } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';

const OF_A_TOWN: readonly string[] = [FILES.config, PACKS, ...Object.values(FOLDERS)].map(
  (path) => path.split('/')[0] ?? path,
);
/** The number of things in a folder that a message names. */
const SHOWN = 3;

function namesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return []; // Missing, or closed to us: making the town reports it.
  }
}

/** The objection to a town there, in words; null = there is none, or a town was there before. */
function against(root: string): string | null {
  const names = namesIn(root);
  if (names.includes(FILES.config) || names.includes(FOLDERS.daemon)) return null;
  const home = homeFolder();
  if (home !== null && isSameFolder(root, home)) return 'is your home folder';
  const others = names.filter((name) => !OF_A_TOWN.includes(name));
  if (others.length === 0) return null;
  const shown = others.slice(0, SHOWN).map((name) => JSON.stringify(clean(name)));
  return `holds other things (${[...shown, ...(others.length > SHOWN ? ['…'] : [])].join(', ')})`;
}

/**
 * Throws Failure (2) without a yes to a root. A yes is missing if the root has no name and no terminal can ask, or if a
 * named root is no town's own folder.
 */
export async function mustMeanIt(context: Context, isForced: boolean): Promise<void> {
  const { from, root, configured } = context.where;
  const { stdin } = process;
  if (from === 'home' && !configured && !stdin.isTTY && terminal() === null) {
    const text = `no root is given, there is no town.toml, and no terminal to ask; write --root DIR (or --root ${root} to mean that one)`;
    throw new Failure(EXIT.usage, 'no_root', text);
  }
  const why = isForced ? null : against(root);
  if (why === null) return;
  const { canAsk, saysYes } = await import('../asking/yes.ts');
  if (canAsk(context) && (await saysYes(`${clean(root)} ${why}. Make it a town all the same? [yes/no] `))) return;
  const sentence = `${root} ${why} and no town: nothing was written; give a folder of its own with --root DIR, or add --force`;
  throw new Failure(EXIT.usage, 'not_a_town', sentence);
}
