/**
 * Where this town's hooks stand in settings files of their user, and what each file was before: enough to give back its very bytes
 * while nothing else changed in it. Of the old text only the part that the hooks took the place of is kept.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { writeFiles } from '../files/atomic-write.ts';
import { readIfReadable, type Disk } from '../files/disk.ts';
import { FILES, FOLDERS } from '../files/layout.ts';
import { recordKind } from '../files/record-kind.ts';

const INSTALLED = z.object({
  /** Absolute. */
  file: z.string(),
  /** That the hooks call: that of the root before, where this one was moved since. */
  socket: z.string(),
  /** Wall ms. */
  at: z.number(),
  /** SHA-256 of the file as the install left it. */
  left: z.string(),
  /** In place of these characters of it stood `text` before; null = there was no file. */
  before: z.object({ from: z.int(), length: z.int(), text: z.string() }).nullable(),
});
export type Installed = z.output<typeof INSTALLED>;

interface All {
  readonly files: readonly Installed[];
}

const KIND = recordKind<All>('installed-hooks', { shape: z.strictObject({ files: z.array(INSTALLED) }) });

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

type Where = Pick<Installed, 'file' | 'socket' | 'at'>;

/** What an install leaves behind: `before` null = there was no file. */
export function installedAs(where: Where, before: string | null, after: string): Installed {
  const left = hashOf(after);
  if (before === null) return { ...where, left, before };
  let from = 0;
  while (from < before.length && before[from] === after[from]) from += 1;
  let same = 0;
  const most = Math.min(before.length, after.length) - from;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const text = before.slice(from, before.length - same);
  return { ...where, left, before: { from, length: after.length - same - from, text } };
}

/** The text before the install; null = there was no file; undefined = something else changed since. */
export function textBefore({ left, before }: Installed, now: string): string | null | undefined {
  if (hashOf(now) !== left) return undefined;
  return before && now.slice(0, before.from) + before.text + now.slice(before.from + before.length);
}

/** A file that cannot be read or is damaged says nothing: hooks are then taken out by what they say. */
export async function readInstalled(disk: Disk): Promise<readonly Installed[]> {
  const text = await readIfReadable(disk, FILES.installedHooks, KIND.maxBytes);
  const found = text === null ? null : KIND.decode(text, FILES.installedHooks);
  return found?.ok === true ? found.value.files : [];
}

export async function writeInstalled(disk: Disk, files: readonly Installed[]): Promise<void> {
  await disk.mkdir(FOLDERS.daemon);
  await writeFiles(disk, [{ path: FILES.installedHooks, text: KIND.text({ files }) }]);
}
