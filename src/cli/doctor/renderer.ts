/** Checks whether the town's presence on the tmux server may change what an agent draws. */
import { textOf, type Disk } from '../../../state/files/disk.ts';
import { seeAgents } from '../../overview/agents.ts';
import { onRecord } from '../../overview/eyes.ts';
import { createProcesses } from '../../proc/processes.ts';
import { Packs, packsFolder } from '../../screen/packs.ts';
import { ControlTmux } from '../../tmux/client.ts';
import { good, unknown, warn, type Finding } from './finding.ts';
import type { Place } from './tmux.ts';

const CHECK = 'fullscreen';

/** Nothing where tmux does not answer: another check says so. */
export async function renderer({ settings, socketPath }: Place, disk: Disk): Promise<Finding[]> {
  try {
    const processes = createProcesses();
    const { panes, fault } = await seeAgents({
      packs: new Packs({ folder: packsFolder(settings.root) }),
      settings,
      processes,
      // What an agent draws does not depend on how it is.
      sources: { hear: () => Promise.resolve(null) },
      tmux: new ControlTmux({ socketPath, policy: settings.hands, processes }),
      ...(await onRecord(disk)),
    });
    if (fault !== null) return [];
    const names = panes.filter(({ classic }) => classic).map(({ session, pane }) => `${session} (${pane})`);
    return [names.length === 0 ? good(CHECK, 'no agent draws otherwise because the town is there') : changed(names)];
  } catch (error) {
    return [unknown(CHECK, `the agents could not be looked at: ${textOf(error)}`, 'try again')];
  }
}

function changed(names: readonly string[]): Finding {
  return warn(
    CHECK,
    `${names.join(', ')}: Claude Code without TERM_PROGRAM asks tmux which client it has; where no terminal shows its session ` +
      'that may be the town\'s, and then it draws its classic screen ("fullscreen is off under tmux -CC")',
    'start it with TERM_PROGRAM=tmux, as tmux does itself (env -i takes it away), or with CLAUDE_CODE_NO_FLICKER=1',
  );
}
