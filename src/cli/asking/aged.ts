/** What a command does with stored times, as the patrols of a running town: those know by how much the wall clock was set. */
import { FOLDERS } from '../../../state/files/layout.ts';
import { STATE } from '../../../state/files/policy.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { withSteps } from '../../ports/age.ts';
import { systemClock } from '../../ports/clock.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

/** A root in which no town ever ran knows no step. */
export async function agedBy<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const disk = await context.disk();
  if ((await disk.stat(FOLDERS.daemon)) === null) return work();
  const notes = { disk, quarantine: new Onlooker(disk, note), maxBytes: STATE.maxRecordBytes, note };
  return withSteps(notes, { at: systemClock.now(), wall: systemClock.wall() }, work);
}
