/** Work of a process beside the town, or of a thread, in which ages are those without the known steps of the wall clock. */
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { withSteps } from '../ports/age.ts';
import { systemClock } from '../ports/clock.ts';
import { Onlooker } from './onlooker.ts';

export async function inKnownTime<T>(disk: Disk, note: (text: string) => void, work: () => Promise<T>): Promise<T> {
  const notes = { disk, quarantine: new Onlooker(disk, note), note };
  const now = { at: systemClock.now(), wall: systemClock.wall() };
  // A root in which no town ever ran knows of no step of the clock.
  return (await disk.stat(FOLDERS.daemon)) === null ? work() : withSteps(notes, now, work);
}
