/**
 * What a commit of everything in a worktree would publish, by name and size, and why it may not: files that look like secrets, that are
 * large, or more than anybody reads. What is published once cannot be taken back.
 */
import { lstat, readFile } from 'node:fs/promises';
import { changesOf, namesIn, readable, sizeOf } from '../git/changes.ts';
import type { Git } from '../git/git.ts';
import { hasLfs } from '../git/lfs.ts';
import { HANDS } from '../ports/policy.ts';
import { keyIn } from '../screen/secrets.ts';
import { keyInPatch, keyText, lineOf, PATCH, plain } from './patch.ts';
import { RIG_WORK } from './policy.ts';
import { isSecretName } from './secret-names.ts';
import { firstLines, sizeText } from '../../machines/kernel/span.ts';

export interface Unpublished {
  /** As git has it: bytes in latin1. */
  readonly raw: string;
  readonly name: string;
  readonly is: 'new' | 'changed' | 'deleted';
  /** null = there is nothing of it, or it is no plain file. */
  readonly bytes: number | null;
}

/** Everything that `git add --all` and a commit would take. `nested`: repositories of their own, which it would not. */
export async function unpublishedIn(
  git: Git,
  top: string,
): Promise<{ readonly files: readonly Unpublished[]; readonly nested: readonly string[] }> {
  const staged = pairsIn(await git.run([...DIFF, '--cached', '--name-status']));
  const { names, nested } = await changesOf(git, top, HANDS, false);
  const known = new Set(namesIn(await git.run(['ls-files', '-z', '--cached'])));
  const all = [...new Set([...staged.keys(), ...names])].sort();
  const files = await Promise.all(
    all.map(async (raw): Promise<Unpublished> => {
      const size = await sizeOf(top, raw);
      const is = size === null ? 'deleted' : !known.has(raw) || staged.get(raw) === 'A' ? 'new' : 'changed';
      return { raw, name: readable(raw), is, bytes: typeof size === 'number' ? size : null };
    }),
  );
  return { files, nested: nested.map(readable) };
}

const DIFF = ['diff', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=dirty'];

/** Of `--name-status -z`: a letter, a name. */
function pairsIn(output: string): Map<string, string> {
  const words = namesIn(output);
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[words[at + 1] ?? '', word] as const] : [])));
}

/** Why these may not be published, with what to do; null = they may. `all`: the operator has seen them and wants it. */
export async function whyUnpublishable(
  git: Git,
  top: string,
  files: readonly Unpublished[],
  all: boolean,
): Promise<string | null> {
  const filtered = await filteredIn(git, files);
  if (filtered !== null) return filtered;
  if (all) return null;
  const added = files.filter(({ is }) => is === 'new');
  if (added.length > RIG_WORK.maxPublished)
    return `${String(added.length)} new files would be published, more than ${String(RIG_WORK.maxPublished)}; ${WAYS}`;
  const large = added.find(({ bytes }) => (bytes ?? 0) > RIG_WORK.maxPublishedBytes);
  if (large !== undefined) return `${shown(large)} is larger than ${sizeText(RIG_WORK.maxPublishedBytes)}; ${WAYS}`;
  for (const file of added) {
    const inName = keyIn(file.name);
    if (inName !== null) return `the name of a new file looks like a secret (${inName.kind}); ${WAYS}`;
    if (isSecretName(file.name)) return `${shown(file)} looks like a secret (by its name); ${WAYS}`;
    const key = await keyInFile(top, file);
    if (key !== null) return `${shown(file)} looks like a secret (${key}); ${WAYS}`;
  }
  return keyInChanges(git);
}

const PUBLIC = 'if it is meant to be public, the operator adds --all to COMMIT_AND_PUSH';
const WAYS = `move it away, or name it in a .gitignore that is committed; ${PUBLIC}`;

/** A filter that does not run would have made another file of it: plain text where a cipher belongs. */
async function filteredIn(git: Git, files: readonly Unpublished[]): Promise<string | null> {
  const wanted = files.filter(({ is }) => is !== 'deleted');
  if (wanted.length === 0) return null;
  const input = wanted.map(({ raw }) => `${raw}\0`).join('');
  const fields = (await git.run(['check-attr', '-z', '--stdin', 'filter'], input)).split('\0');
  const mayBe = new Set(['unspecified', 'unset', ...(hasLfs() ? ['lfs'] : [])]);
  // Name, attribute, value.
  const at = wanted.findIndex((_, nth) => !mayBe.has(fields[nth * 3 + 2] ?? ''));
  const [file, filter] = [wanted[at], fields[at * 3 + 2] ?? ''];
  if (file === undefined) return null;
  return filter === 'lfs'
    ? `${file.name} belongs to Git LFS, and there is no git-lfs; install it`
    : `${file.name} goes through the filter ${filter}, which the town does not run; commit it by hand`;
}

/** A key in what was added to files that are tracked; null = none is seen. The key itself is in no text. */
async function keyInChanges(git: Git): Promise<string | null> {
  const patch = await git.runAtMost(['diff', ...PATCH, 'HEAD'], RIG_WORK.maxPatchBytes);
  if (patch === null)
    return `the changes of tracked files are more than ${sizeText(RIG_WORK.maxPatchBytes)}, and cannot be looked through for keys; ${PUBLIC}`;
  const key = keyInPatch(patch);
  return key && `${keyText(key)}; take it out; ${PUBLIC}`;
}

/** What kind of a key is in it, and where; null = none is seen, or it is no text. */
async function keyInFile(top: string, { raw, bytes }: Unpublished): Promise<string | null> {
  if (bytes === null || bytes === 0) return null;
  const path = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(raw, 'latin1')]);
  // Of a link git takes where it leads, never what is there.
  if (!(await lstat(path)).isFile()) return null;
  const text = plain(await readFile(path, 'latin1'));
  const key = keyIn(text);
  return key && `${key.kind} in line ${String(lineOf(text, key.at))}`;
}

const shown = ({ name, bytes }: Unpublished): string =>
  bytes === null ? JSON.stringify(name) : `${JSON.stringify(name)} (${sizeText(bytes)})`;

export const fileText = (file: Unpublished): string => `${file.is} ${shown(file)}`;

/** For a person or a reasoner who decides about them: one line each. */
export function filesText(files: readonly Unpublished[]): string {
  const listed = firstLines(files.map(fileText), RIG_WORK.listed);
  return files.length === 0 ? '' : ['COMMIT_AND_PUSH would publish:', ...listed].join('\n  ');
}
