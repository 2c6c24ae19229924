/**
 * What changes in the root of a running town from outside, said for as long as it is so: Gas Town that came there (C-12), and a
 * town.toml that is wrong or gone.
 */
import { join } from 'node:path';
import { statSync } from 'node:fs';
import { nextMultiple } from '../../machines/kernel/schedule.ts';
import type { Condition } from '../../machines/protocol.ts';
import { isGasTown } from '../../state/files/gas-town.ts';
import { FILES } from '../../state/files/layout.ts';
import { foreignDaemon } from '../../state/process/lock.ts';
import { restoredAt } from '../../state/process/restored.ts';
import { mistakeNow } from '../config/lasting.ts';
import { CONFIG_FILE } from '../config/root.ts';
import type { HandsNeeds } from './hands-needs.ts';

type Needs = Pick<HandsNeeds, 'settings' | 'broken' | 'host' | 'announce'>;
/** In words; null = all is well. Throws when that is unknown. */
type Look = () => Promise<string | null>;

const gasTownIn =
  ({ settings: { root, state }, host }: Needs): Look =>
  async () => {
    const isAlive = (pid: number): boolean => host.processes.proc(pid) !== null;
    const daemon = await foreignDaemon({ root, disk: host.disk, isAlive, maxBytes: state.maxRecordBytes });
    if (daemon !== null) return daemon.text;
    return isGasTown(root) ? `${root} became a root of Gas Town (it holds ${FILES.gasTown})` : null;
  };

const copyIn =
  ({ host }: Needs): Look =>
  async () =>
    (await restoredAt(host.disk)) === null
      ? null
      : 'This root came back from a copy, or was moved by copying: its lock file is another one';

/** The file is read where it changed. */
function mistakeIn({ settings: { root } }: Needs): Look {
  let known: { readonly mark: string; readonly mistake: string | null } | null = null;
  return () => {
    const file = statSync(join(root, CONFIG_FILE), { bigint: true, throwIfNoEntry: false });
    const mark = file === undefined ? '' : `${file.ino} ${file.size} ${file.ctimeNs}`;
    if (known?.mark !== mark) known = { mark, mistake: mistakeNow(root, 'the town goes by what it read before') };
    return Promise.resolve(known.mistake);
  };
}

/** Until `stop`. Never rejects. */
export async function watchNeighbours(needs: Needs, stop: AbortSignal): Promise<void> {
  const { host, announce, settings } = needs;
  const everyMs = settings.process.neighboursEveryMs;
  const looks: Partial<Record<Condition, Look>> = {
    'gas-town': gasTownIn(needs),
    restored: copyIn(needs),
    // One that came up with a wrong town.toml goes by the last good one until it is started again.
    ...(needs.broken === null && { 'config-broken': mistakeIn(needs) }),
  };
  const known = new Map<string, string | null>();
  while (!stop.aborted) {
    for (const [what, look] of Object.entries(looks) as [Condition, Look][])
      try {
        const why = await look();
        if (why !== known.get(what)) announce({ type: 'CONDITION_FOUND', what, why });
        known.set(what, why);
      } catch (error) {
        host.logger.warn({ err: error, what }, 'it is not known what changed in the root of this town');
      }
    await host.clock.sleep(nextMultiple(host.clock.now(), everyMs) - host.clock.now(), stop);
  }
}
