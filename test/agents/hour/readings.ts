/** Which screens the town read in an hour: one that was read while its program said how it is shows there. */
import { capturesOn } from '../captures.ts';
import type { Stage } from '../stage.ts';
import type { Oracle } from './oracle.ts';

const LOOK_MS = 5_000;

export interface Readings {
  /** Where the town finds its programs. */
  readonly path: string;
  /** Whose pane each was, which a later life may have anew; until the signal. */
  watch(signal: AbortSignal): void;
  /** Faults for screens of these agents that were read. How many were read in all. */
  judge(oracle: Oracle, agents: readonly string[]): number;
}

export function readingsOn(stage: Stage): Readings {
  const { path, all } = capturesOn(stage);
  const panes = new Map<string, string>();
  const look = (): void => {
    for (const line of stage.tmux('list-panes', '-a', '-F', '#{pane_id} #{session_name}').trim().split('\n')) {
      const [pane = '', session = ''] = line.split(' ');
      panes.set(pane, session);
    }
  };
  return {
    path,
    watch: (signal) => {
      const timer = setInterval(look, LOOK_MS);
      signal.addEventListener('abort', () => clearInterval(timer));
    },
    judge: (oracle, agents) => {
      const read = all().map(({ at, pane }) => ({ at, agent: panes.get(pane) ?? pane }));
      for (const { agent, state, from, to } of oracle.spells.filter((one) => agents.includes(one.agent))) {
        const isWanted = (at: number): boolean => oracle.shown.some((one) => at >= one.from && at <= one.to);
        const seen = read.filter((one) => one.agent === agent && one.at > from && one.at < to && !isWanted(one.at));
        if (seen.length > 0)
          oracle.fault(
            'harm',
            agent,
            `${String(seen.length)} screens read while its program said ${state}, at ${new Date(from).toISOString()}`,
          );
      }
      return read.length;
    },
  };
}
