/** The overview as a command makes it by itself: for when no town runs. */
import { createProcesses } from '../../proc/processes.ts';
import { overviewOf, type Overview } from '../../overview/overview.ts';
import { readSessions } from '../../overview/records.ts';
import { seeTmux } from '../../overview/scene.ts';
import type { Context } from '../context.ts';

export async function ownOverview(context: Context): Promise<Overview> {
  const settings = await context.settings();
  const disk = await context.disk();
  return overviewOf({
    disk,
    processes: createProcesses(),
    see: () => seeTmux(settings, disk),
    rateOf: () => null,
    asksOf: () => null,
    sessions: async (say) => {
      const { found, unreadable } = await readSessions(disk);
      unreadable.forEach(say);
      return found.map(({ value }) => value);
    },
  });
}
