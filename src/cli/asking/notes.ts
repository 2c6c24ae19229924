/** The small files of the watchdog chain, for commands: read without moving anything, written durably. They work with the town down. */
import { randomBytes } from 'node:crypto';
import { textOf } from '../../../state/files/disk.ts';
import { folderOf } from '../../../state/files/layout.ts';
import type { NoteOptions } from '../../../state/watchdog/records.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import type { Context } from '../context.ts';
import { note } from '../../terminal/print.ts';

export async function notesOf(context: Context): Promise<NoteOptions> {
  const disk = await context.disk();
  return { disk, quarantine: new Onlooker(disk, note) };
}

/** Durable when it resolves. */
export async function writeNote(context: Context, path: string, text: string): Promise<void> {
  const disk = await context.disk();
  await disk.mkdir(folderOf(path));
  await writeFiles(disk, [{ path, text }]);
}

/** A running town looks now at what changed. False when none runs, or it does not listen: it looks again by itself. */
export async function wakeTown(
  context: Context,
  what: 'warrants' | 'mail' | 'work' | 'cases' | 'reports',
): Promise<boolean> {
  try {
    return (await context.askIfUp(async (town) => (await town.wake(what), true))) ?? false;
  } catch (error) {
    note(`the town was not woken (${textOf(error)}); it looks by itself soon`);
    return false;
  }
}

/** Of what is filed now: its time is the number by which people call it. */
export const newId = (kind: string): string => `${kind}-${Date.now()}-${randomBytes(ID_BYTES).toString('hex')}`;
const ID_BYTES = 4;

export const isoOf = (wall: number | null): string | null => (wall === null ? null : new Date(wall).toISOString());
