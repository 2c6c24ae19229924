/** What a starter, a guard or a town does about a thing that is no file of theirs in its place: into quarantine/, and tell. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { faultOf } from '../../state/files/regular-file.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import type { PutAway } from '../../state/process/pid-files.ts';
import { systemClock } from '../ports/clock.ts';

/** Never rejects for a thing that cannot be moved: it is left, and told. */
export function awayTo(disk: Disk, say: (text: string) => void, onRefused?: (refused: Refused) => void): PutAway {
  return async (path, there, why) => {
    const quarantine = new Quarantine({
      disk,
      wall: () => systemClock.wall(),
      onRefused: (refused) => {
        say(refusedText(refused));
        onRefused?.(refused);
      },
    });
    await quarantine.move(path, there, why);
  };
}

export function refusedText({ file, why, movedTo }: Refused): string {
  return `${file}: ${why}${movedTo === null ? ' Move it away.' : ` It is kept in ${movedTo}.`}`;
}

type Sockets = typeof FILES.socket | typeof FILES.guardSocket;

/** A place that a process writes to or listens on without reading it first. */
export type Place = typeof FILES.guardLog | typeof FILES.daemonLog | typeof FILES.deaths | Sockets;

/** Clears these places of the root, so that no folder keeps anybody from running and no pipe blocks who opens it. */
export async function clearPlaces(root: string, disk: Disk, away: PutAway, places: readonly Place[]): Promise<void> {
  for (const place of places) {
    const path = join(root, place);
    const why = place === FILES.socket || place === FILES.guardSocket ? noSocket(path) : faultOf(path);
    const there = why === null ? null : await disk.stat(place);
    if (why !== null && there !== null) await away(place, there, why);
  }
}

function noSocket(path: string): string | null {
  return (lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? true) ? null : 'it is no socket';
}
