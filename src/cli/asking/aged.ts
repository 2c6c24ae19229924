/** What a command does with stored times, as the patrols of a running town: those know by how much the wall clock was set. */
import { inKnownTime } from '../../overview/known-time.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

export const agedBy = async <T>(context: Context, work: () => Promise<T>): Promise<T> =>
  inKnownTime(await context.disk(), note, work);
