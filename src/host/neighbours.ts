/** Looks whether Gas Town came to the root of a running town (C-12), and says so for as long as it is there. */
import { nextBeat } from '../../machines/kernel/schedule.ts';
import { isGasTown } from '../../state/files/gas-town.ts';
import { FILES } from '../../state/files/layout.ts';
import { foreignDaemon } from '../../state/process/lock.ts';
import type { HandsNeeds } from './hands-needs.ts';

type Needs = Pick<HandsNeeds, 'settings' | 'host' | 'announce'>;

/** In words; null = nothing of it is there. Throws when that is unknown. */
async function gasTownIn({ settings: { root, state }, host }: Needs): Promise<string | null> {
  const isAlive = (pid: number): boolean => host.processes.proc(pid) !== null;
  const daemon = await foreignDaemon({ root, disk: host.disk, isAlive, maxBytes: state.maxRecordBytes });
  if (daemon !== null) return daemon.text;
  return isGasTown(root) ? `${root} became a root of Gas Town (it holds ${FILES.gasTown})` : null;
}

/** Until `stop`. Never rejects. */
export async function watchNeighbours(needs: Needs, stop: AbortSignal): Promise<void> {
  const { host, announce, settings } = needs;
  const everyMs = settings.process.neighboursEveryMs;
  let known: string | null | undefined;
  while (!stop.aborted) {
    try {
      const why = await gasTownIn(needs);
      if (why !== known) announce({ type: 'CONDITION_FOUND', what: 'gas-town', why });
      known = why;
    } catch (error) {
      host.logger.warn({ err: error }, 'it cannot be told whether another supervisor runs in this root');
    }
    await host.clock.sleep(nextBeat(host.clock.now(), everyMs) - host.clock.now(), stop);
  }
}
