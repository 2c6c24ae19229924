/**
 * daemon/clock.json: what the wall showed at the zero of the monotonic clock, by the first look of a town in this boot. Ages that
 * are counted from it outlive a step of the wall and the process that saw it.
 */
import { z } from 'zod';
import type { Proc, Stamp, WallMs } from '../../machines/protocol.ts';
import { FILES } from '../files/layout.ts';
import type { NoteOptions } from '../watchdog/records.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { readAt } from '../files/record-folder.ts';
import { recordKind } from '../files/record-kind.ts';

const CLOCK = recordKind('clock', { shape: z.strictObject({ boot: z.string(), wall_at_zero: z.number() }) });

/** The one on record for the boot of `self`, or else that of now, durable when it resolves. Rejects when the disk refuses, and where one is left alone. */
export async function noteWallAtZero(options: NoteOptions, self: Proc, { at, wall }: Stamp): Promise<WallMs> {
  const boot = self.started.slice(self.started.lastIndexOf('@') + 1);
  const found = await readAt({ ...options, ...CLOCK }, FILES.clock);
  if (found?.value.boot === boot) return found.value.wall_at_zero;
  await writeFiles(options.disk, [{ path: FILES.clock, text: CLOCK.text({ boot, wall_at_zero: wall - at }) }]);
  return wall - at;
}
