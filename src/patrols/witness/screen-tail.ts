/** The end of an agent's screen for who decides about it: looked at by a call of its own, secrets taken out. */
import type { Disk } from '../../../state/files/disk.ts';
import { sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { Settings } from '../../config/settings.ts';
import { findPane } from '../../hearings/pane.ts';
import { doorTo } from '../../overview/scene.ts';
import { readSession } from '../../overview/records.ts';
import { createProcesses } from '../../proc/processes.ts';
import { redact } from '../../screen/redact.ts';
import { tailOf } from '../../screen/text.ts';

/** Names and folders help who decides; tokens and keys do not. */
const NO_OWNER = { homes: [], users: [], hosts: [] };

/** Empty where it cannot be seen: a case is put all the same. */
export async function screenTailOf(
  settings: Pick<Settings, 'tmux' | 'hands'>,
  disk: Disk,
  agent: string,
): Promise<string> {
  try {
    const life = (await readSession(disk, sessionOfAgent(agent)))?.incarnation ?? null;
    if (life === null) return '';
    const tmux = await doorTo(settings, disk);
    tmux.expect(life.server);
    const found = await findPane({ tmux, processes: createProcesses() }, life);
    if (found.kind !== 'found') return '';
    const rows = (await tmux.call(['capture-pane', '-p', '-t', found.paneId])).split('\n');
    return tailOf(redact(rows, NO_OWNER), settings.hands.tailLines);
  } catch {
    return '';
  }
}
