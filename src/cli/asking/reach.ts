/** What channels have a town do, done by a command: into terminals and mailboxes by itself, into panes by the running town alone. */
import { reachOf } from '../../alerts/reach.ts';
import type { Reach } from '../../channels/port.ts';
import { doorTo } from '../../overview/scene.ts';
import { createProcesses } from '../../proc/processes.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

export async function reachWithoutTown(context: Context): Promise<Reach> {
  const settings = await context.settings();
  const disk = await context.disk();
  return reachOf({
    tmux: await doorTo(settings, disk),
    processes: createProcesses(),
    disk,
    tag: settings.policy.monitor.orchestratorTag,
    nudge: (request) => context.askIfUp((town) => town.request(request)),
    wall: () => Date.now(),
    log: note,
  });
}
