/**
 * daemon/town.toml.good: the town.toml that the town last came up with, so that a file broken later leaves no agent
 * without supervision. Only a town that came up writes it; anything but a plain file in its place is ignored.
 */
import { readIfReadable, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Quarantine } from '../files/quarantine.ts';

/** Durable when it resolves; a text that stands there already is not written again. Empty = there was no town.toml. */
export async function keepGoodConfig(
  { disk, quarantine }: { readonly disk: Disk; readonly quarantine: Quarantine },
  text: string,
  maxBytes: number,
): Promise<void> {
  if ((await readGoodConfig(disk, maxBytes)) === text) return;
  const there = await disk.stat(FILES.goodConfig);
  if (there?.kind === 'folder') await quarantine.move(FILES.goodConfig, there, 'it is a folder where a file goes');
  await writeFiles(disk, [{ path: FILES.goodConfig, text }]);
}

/** null = no town came up here yet, or what stands there is none of ours. */
export const readGoodConfig = (disk: Disk, maxBytes: number): Promise<string | null> =>
  readIfReadable(disk, FILES.goodConfig, maxBytes);
