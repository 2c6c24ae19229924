/** The overview as a command makes it by itself: for when no town runs. */
import { createProcesses } from '../../proc/processes.ts';
import { agentsNow } from '../../overview/agents-now.ts';
import { lettersFor, overviewOf, type Overview } from '../../overview/overview.ts';
import { readSessions } from '../../overview/records.ts';
import { callerToken } from '../../socket/caller-token.ts';
import { seeTmux } from '../../overview/scene.ts';
import { systemClock } from '../../ports/clock.ts';
import { Packs, packsFolder } from '../../screen/packs.ts';
import { NONE_HELD } from '../../sources/held-questions.ts';
import { Sources } from '../../sources/sources.ts';
import { Reports } from '../../../state/monitor/reports.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

export async function ownOverview(context: Context): Promise<Overview> {
  const settings = await context.settings();
  const disk = await context.disk();
  const processes = createProcesses();
  const packs = new Packs({ folder: packsFolder(context.root) });
  const sources = new Sources({ processes, packs, clock: systemClock, held: NONE_HELD });
  const reports = new Reports({ disk, quarantine: new Onlooker(disk, note) });
  const reported = {
    of: (sessions: readonly string[]) => reports.of(sessions),
    workOf: () => ({ workedSince: null, watchedSince: null }),
    wall: () => systemClock.wall(),
  };
  const seen = await overviewOf({
    disk,
    processes,
    see: () => seeTmux(settings, disk),
    rateOf: () => null,
    asksOf: () => null,
    questionNow: () => undefined,
    tokensOf: () => null,
    agents: (lives) => agentsNow({ sources, seen: () => undefined, reported }, lives),
    sessions: async (say) => {
      const { found, unreadable } = await readSessions(disk);
      unreadable.forEach(say);
      return found.map(({ value }) => value);
    },
  });
  return { ...seen, mail: lettersFor(callerToken(), seen.mail) };
}
