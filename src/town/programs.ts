/** The table of the programs that this town uses by their path (src/host/programs.ts), with what the town knows of each. */
import { dirname } from 'node:path';
import { readEnvironment } from '../../state/sessions/environment.ts';
import type { SessionSpec } from '../../machines/protocol.ts';
import { agentsRow, type AgentPrograms } from '../host/agent-programs.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';
import {
  changesIn,
  faultIn,
  gitRow,
  ownNodeRow,
  packageRow,
  tmuxRow,
  watchPrograms,
  type WatchNeeds,
} from '../host/programs.ts';
import type { TownTmux } from '../host/town-tmux.ts';
import { ENTRIES, IS_BUILT, isWhole, TOWN, version } from '../package.ts';
import { namedValues, type EnvironmentOf } from '../sessions/environment.ts';
import type { ControlTmux } from '../tmux/client.ts';
import { agentEnvironment, pathBelow } from '../proc/environment.ts';

const PATH = 'PATH';

export interface WatchedPrograms {
  /** What keeps the town from a part of its work; null = nothing does. */
  fault(): string | null;
  /** What became of them, in words. */
  changes(): readonly string[];
  /** Looks until `stop`. */
  watch(stop: AbortSignal): Promise<void>;
}

/** Before a server runs agents get what the town has, with which it would start one. */
export function pathsOf(
  tmux: Pick<ControlTmux, 'connected' | 'query'>,
  environmentOf: EnvironmentOf,
): AgentPrograms['paths'] {
  return async () => {
    const usual = tmux.connected
      ? pathBelow((await tmux.query(['show-environment', '-g'])).join('\n'))
      : (agentEnvironment(process.env)[PATH] ?? null);
    const isNamed = ({ env = [] }: SessionSpec): boolean => env.includes(PATH);
    return async ({ spec }) =>
      (isNamed(spec) ? namedValues(spec, await environmentOf(spec.name))[PATH] : undefined) ?? usual;
  };
}

export function watchedPrograms(needs: HandsNeeds, { tmux }: TownTmux, log: WatchNeeds['log']): WatchedPrograms {
  const { host, settings, announce, store } = needs;
  const { neighboursEveryMs, agentProgramsEveryMs } = settings.process;
  const found: WatchNeeds['found'] = new Map();
  // Sources are edited while a town runs from them.
  const own = IS_BUILT ? [packageRow({ folder: dirname(TOWN), files: ENTRIES, version })] : [];
  const others = [ownNodeRow(), tmuxRow(() => tmux.program()), gitRow()];
  const paths = pathsOf(tmux, (session) => readEnvironment(host.disk, session));
  const agents = agentsRow({ sessions: () => store.sessionsNow(), paths });
  const shared = {
    found,
    announce,
    log,
    clock: host.clock,
    // A town that ends without its package never comes back.
    renew: (why: string) => isWhole() && host.renew(why),
  };
  return {
    fault: () => faultIn(found),
    changes: () => changesIn(found),
    watch: async (stop) => {
      const often = watchPrograms({ ...shared, rows: [...own, ...others], everyMs: neighboursEveryMs }, stop);
      await Promise.all([often, watchPrograms({ ...shared, rows: [agents], everyMs: agentProgramsEveryMs }, stop)]);
    },
  };
}
