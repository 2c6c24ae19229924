/** Work in which ages are those without the known steps of the wall clock. */
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { byKnownSteps, withSteps } from '../ports/age.ts';
import { systemClock } from '../ports/clock.ts';
import { Onlooker } from './onlooker.ts';

const within =
  (by: typeof withSteps) =>
  async <T>(disk: Disk, note: (text: string) => void, work: () => Promise<T>): Promise<T> => {
    const notes = { disk, quarantine: new Onlooker(disk, note), note };
    const now = { at: systemClock.now(), wall: systemClock.wall() };
    // A root in which no town ever ran knows of no step of the clock.
    return (await disk.stat(FOLDERS.daemon)) === null ? work() : by(notes, now, work);
  };

/** For commands: it writes no step, since a caller may give a command false clocks. */
export const inKnownTime = within(byKnownSteps);

/** For the town's process and its threads: it also notes the steps that it sees. */
export const inTownTime = within(withSteps);
