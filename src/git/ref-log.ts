/** Where a ref stood, by git's own log of it: in files or in the tables of a reftable repository, git alone knows. */
import { join } from 'node:path';
import { textOf } from './files.ts';
import type { Git } from './git.ts';

/** A ref was set to a commit. */
export interface RefMove {
  readonly commit: string;
  /** Wall ms, whole seconds. */
  readonly at: number;
  /** What did it, in git's words; '' = it did not say. */
  readonly why: string;
}

/** The newest first. Empty where git keeps no log of it, or there is no such ref. What git has put away since is left out. */
export async function refLog(git: Git, ref: string, most = Infinity): Promise<readonly RefMove[]> {
  if ((await git.find(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])) === null) return [];
  const limit = Number.isFinite(most) ? [`--max-count=${String(most)}`] : [];
  const words = ['log', '-g', '-z', '--no-show-signature', '--date=unix', '--format=%H %gd %gs', ...limit, ref, '--'];
  return (await git.run(words)).split('\0').flatMap((line) => {
    const [, commit = '', seconds = '', why = ''] = ROW.exec(line) ?? [];
    return commit === '' ? [] : [{ commit, at: Number(seconds) * 1_000, why }];
  });
}
const ROW = /^([0-9a-f]{40,64}) .*?@\{(\d+)\} ?(.*)$/s;

/** A text that is another one once the log of a ref is; null = there is none yet. No git is asked. */
export async function refLogMark(commonDir: string, ref: string): Promise<string | null> {
  return (await textOf(join(commonDir, 'reftable/tables.list'))) ?? textOf(join(commonDir, 'logs', ref));
}
