/** How many dogs there are: the running town's own word, for a flag may have set it; the configuration's when it is down. */
import { textOf } from '../../../state/files/disk.ts';
import type { Context } from '../context.ts';
import { note } from '../../terminal/print.ts';

export async function poolSize(context: Context): Promise<number> {
  return (await running(context)) ?? (await context.settings()).policy.dance.poolSize;
}

/** null = no town runs, or it is starting. A silent town is reported, and the records are read all the same. */
async function running(context: Context): Promise<number | null> {
  try {
    // A town of an older version does not say it.
    return (await context.askIfUp((town) => town.status()))?.pool_size ?? null;
  } catch (error) {
    note(`the town did not say how many dogs it has (${textOf(error)})`);
    return null;
  }
}
