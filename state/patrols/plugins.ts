/**
 * What is on record of a plugin, patrols/plugins/<name>.json: when it was first seen, when its runs began, and what came of each. Who
 * writes holds the lock of plugins.
 */
import { z } from 'zod';
import { writeFiles } from '../files/atomic-write.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS } from '../files/layout.ts';
import { recordsIn } from '../files/record-kind.ts';
import { wall } from '../files/shapes.ts';
import { readStrictly } from '../files/strict-read.ts';

const entry = z.strictObject({
  /** Of the run. */
  id: z.string(),
  /** `unmet`: its condition said no. `cut off`: its runner was killed. */
  kind: z.enum(['seen', 'began', 'done', 'failed', 'late', 'unmet', 'cut off']),
  text: z.string(),
  at: wall,
  /** Of one that began; absent = unknown. */
  deadlineAt: wall.exactOptional(),
});
export type PluginEntry = Readonly<z.infer<typeof entry>>;
const plugin = z.strictObject({
  name: z.string().min(1),
  /** The newest first; of all but that one only the first line is kept. */
  entries: z.array(entry),
});
const PLUGINS = recordsIn<z.infer<typeof plugin>>(FOLDERS.pluginRuns, 'plugin', {
  shape: plugin,
  idOf: ({ name }) => name,
});

/** Nothing where there is no record. Rejects with `NotReadable` where one stands there that does not count. */
export async function entriesOf(disk: Pick<Disk, 'read'>, name: string): Promise<readonly PluginEntry[]> {
  const found = await readStrictly(disk, PLUGINS.place(name), PLUGINS);
  return found?.entries ?? [];
}

const firstLine = (one: PluginEntry): PluginEntry => ({ ...one, text: one.text.split('\n', 1)[0] ?? '' });

/** `added`: the newest first. Durable when it resolves. */
export async function addEntries(
  disk: Disk,
  name: string,
  added: readonly PluginEntry[],
  atMost: number,
): Promise<void> {
  const [newest, ...older] = [...added, ...(await entriesOf(disk, name))];
  if (newest === undefined) return;
  await disk.mkdir(FOLDERS.pluginRuns);
  await writeFiles(disk, [PLUGINS.fileOf({ name, entries: [newest, ...older.map(firstLine)].slice(0, atMost) })]);
}

/** Entries of an older town, the newest first; what is none is left out. What is on record by now is newer. */
export async function takeOlderEntries(disk: Disk, name: string, older: readonly unknown[]): Promise<void> {
  if ((await entriesOf(disk, name)).length > 0) return;
  const read = older.flatMap((one) => entry.safeParse(one).data ?? []);
  await addEntries(disk, name, read, read.length);
}
