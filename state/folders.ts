/** The folders of a root: looked at, made, and swept of what crashed writers left. */
import { randomUUID } from 'node:crypto';
import type { Ms, WallMs } from '../machines/protocol.ts';
import type { Disk, Stat } from './files/disk.ts';
import { FOLDERS, folderOf, NEW_MAIL } from './files/layout.ts';
import { sweep } from './files/atomic-write.ts';

/** Only the town writes here: no other process has a temporary file under way. */
const OWN: readonly string[] = [FOLDERS.active, FOLDERS.completed, FOLDERS.sessions, FOLDERS.nudges];

/** What stands where one of the folders goes, or one above it. */
export interface Obstacle {
  /** Relative to the root. */
  readonly path: string;
  /** What it is, in words. */
  readonly is: string;
}

const OBSTACLES: Readonly<Record<Exclude<Stat['kind'], 'folder'>, string>> = {
  file: 'a file',
  link: 'a link that leads to no folder',
  other: 'a pipe, a socket or a device',
};

/** The first thing that keeps a folder from being made; null = nothing does. Makes nothing. */
export async function obstacleIn(disk: Disk): Promise<Obstacle | null> {
  const places = Object.values(FOLDERS).flatMap((folder) =>
    folder.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')),
  );
  for (const path of new Set(places)) {
    const kind = (await disk.stat(path))?.kind ?? 'folder';
    if (kind === 'folder' || (kind === 'link' && (await leadsToFolder(disk, path)))) continue;
    return { path, is: OBSTACLES[kind] };
  }
  return null;
}

/** Where a name stands already, nothing is made: it is only looked at. */
async function leadsToFolder(disk: Disk, path: string): Promise<boolean> {
  return disk.mkdir(path).then(
    () => true,
    () => false,
  );
}

/** Rejects with the system's error where the disk does not take so many bytes, which a start writes. */
export async function mustTakeStart(disk: Disk, bytes: number): Promise<void> {
  const path = `${FOLDERS.daemon}/.town-${randomUUID()}.tmp`;
  try {
    await disk.write(path, ' '.repeat(bytes));
  } finally {
    await disk.remove(path);
  }
}

/** Durable when it resolves. Elsewhere than in our own folders only temporary files older than `staleMs` go. */
export async function makeFolders(disk: Disk, wall: WallMs, staleMs: Ms): Promise<void> {
  const folders = Object.values(FOLDERS);
  for (const folder of folders) await disk.mkdir(folder);
  for (const parent of new Set(folders.map((folder) => folderOf(`./${folder}`)))) await disk.syncDir(parent);
  for (const folder of [...folders, ...(await mailboxes(disk))]) {
    await sweep(disk, folder, wall, OWN.includes(folder) ? -Infinity : staleMs);
  }
}

/** Each mailbox, with its index, and where its new mail lies. Any program may put things into mail/: a link there leads out of the town, or in circles. */
async function mailboxes(disk: Disk): Promise<string[]> {
  const boxes: string[] = [];
  for (const address of await disk.list(FOLDERS.mail)) {
    const box = `${FOLDERS.mail}/${address}`;
    if ((await disk.stat(box))?.kind !== 'folder') continue;
    if ((await disk.stat(`${box}/${NEW_MAIL}`))?.kind === 'folder') boxes.push(box, `${box}/${NEW_MAIL}`);
  }
  return boxes;
}
