/** An agent that cannot run reads nothing and answers nothing: its silence says nothing of it (D-7). */
import type { Incarnation } from '../../machines/protocol.ts';
import type { StoppedProcess } from '../proc/stopped.ts';
import type { FoundPane } from './pane.ts';
import type { HearingDeps } from './view.ts';

/** Rejects when it is unknown. */
export const stoppedNow = (
  { processes, packs }: Pick<HearingDeps, 'processes' | 'packs'>,
  { agent }: Incarnation,
  { panePid }: FoundPane,
): Promise<StoppedProcess | null> =>
  processes.stoppedOf({ agent, panePid, isPart: (command) => packs.isPart(command) });

export const stoppedText = ({ pid, comm, by }: StoppedProcess): string =>
  by === 'stopped'
    ? `its process ${pid} (${comm}) is stopped; \`kill -CONT ${pid}\` continues it`
    : `its process ${pid} (${comm}) waits for a disk`;
