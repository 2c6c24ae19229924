/**
 * daemon/tmux-socket: the socket of the tmux server that this root's sessions and marks stand on. Written before anything
 * is touched there, so that nothing of the town stands where no record leads.
 */
import { isAbsolute } from 'node:path';
import { NotReadable, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { withChecksum, withoutChecksum } from '../files/checksum.ts';

const MAX_BYTES = 65_536;

/** Absolute path; null = no town came up here yet. Rejects with `NotReadable` for what is none of ours. */
export async function readTmuxSocket(disk: Disk): Promise<string | null> {
  const text = await disk.read(FILES.tmuxSocket, MAX_BYTES);
  if (text === null) return null;
  const found = withoutChecksum(text);
  const path = found.ok && found.sum !== 'wrong' ? found.value['path'] : null;
  if (typeof path !== 'string' || !isAbsolute(path)) throw new NotReadable('it names no tmux socket');
  return path;
}

/** Durable when it resolves. */
export async function putTmuxSocket(disk: Disk, path: string): Promise<void> {
  await writeFiles(disk, [{ path: FILES.tmuxSocket, text: withChecksum({ schema: 'tmux-socket/1', path }) }]);
}
