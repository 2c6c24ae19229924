/** Every call of tmux by the town, with its time: a screen that was read while its program said how it is shows there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../stage.ts';
import type { Oracle } from './oracle.ts';

const LOOK_MS = 5_000;
const SECOND_MS = 1_000;
const CALL = /^(\d+\.\d+) .*capture-pane.* -t (%\d+)/;

export interface Captures {
  /** Where the town finds its programs. */
  readonly path: string;
  /** Whose pane each was, which a later life may have anew; until the signal. */
  watch(signal: AbortSignal): void;
  /** Faults for screens of these agents that were read. How many were read in all. */
  judge(oracle: Oracle, agents: readonly string[]): number;
}

export function capturesOn(stage: Stage): Captures {
  const log = join(stage.home, '.bench', 'tmux-calls');
  const folder = join(stage.home, '.bench', 'shim');
  const real = stage.run('sh', '-c', 'command -v tmux').trim();
  writeFileSync(log, '');
  stage.run('mkdir', folder);
  const shim = `#!/bin/bash\nprintf '%s %s\\n' "$EPOCHREALTIME" "\${*//$'\\n'/ }" >> ${log}\nexec ${real} "$@"\n`;
  writeFileSync(join(folder, 'tmux'), shim, { mode: 0o755 });
  const panes = new Map<string, string>();
  const look = (): void => {
    for (const line of stage.tmux('list-panes', '-a', '-F', '#{pane_id} #{session_name}').trim().split('\n')) {
      const [pane = '', session = ''] = line.split(' ');
      panes.set(pane, session);
    }
  };
  return {
    path: `${folder}:${process.env['PATH'] ?? ''}`,
    watch: (signal) => {
      const timer = setInterval(look, LOOK_MS);
      signal.addEventListener('abort', () => clearInterval(timer));
    },
    judge: (oracle, agents) => {
      const calls = readFileSync(log, 'utf8')
        .split('\n')
        .flatMap((line) => {
          const [, seconds, pane = ''] = CALL.exec(line) ?? [];
          return seconds === undefined ? [] : [{ at: Number(seconds) * SECOND_MS, agent: panes.get(pane) ?? pane }];
        });
      for (const { agent, state, from, to } of oracle.spells.filter((one) => agents.includes(one.agent))) {
        const isWanted = (at: number): boolean => oracle.shown.some((one) => at >= one.from && at <= one.to);
        const seen = calls.filter((one) => one.agent === agent && one.at > from && one.at < to);
        const read = seen.filter(({ at }) => !isWanted(at)).length;
        if (read > 0)
          oracle.fault(
            'harm',
            agent,
            `${String(read)} screens read while its program said ${state}, at ${new Date(from).toISOString()}`,
          );
      }
      return calls.length;
    },
  };
}
