/**
 * Every screen that a town reads, with its time: each call of tmux by the town goes through a shim that writes it down, and so does each
 * line that it writes to its control client.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './stage.ts';

const SECOND_MS = 1_000;
const CAPTURE = /\bcapture-pane\b[^;]*? '?-t'? '?(%\d+)/g;

export interface Capture {
  /** Wall time, in ms. */
  readonly at: number;
  /** Such as `%5`. */
  readonly pane: string;
}

export interface Captures {
  /** Where the town finds its programs. */
  readonly path: string;
  /** So far, the oldest first. */
  all(): readonly Capture[];
}

export function capturesOn(stage: Stage): Captures {
  const log = join(stage.home, '.bench', 'tmux-calls');
  const folder = join(stage.home, '.bench', 'shim');
  const real = stage.run('sh', '-c', 'command -v tmux').trim();
  writeFileSync(log, '');
  stage.run('mkdir', folder);
  const shim = `#!/bin/bash
note() { printf '%s %s\\n' "$EPOCHREALTIME" "\${*//$'\\n'/ }" >> ${log}; }
note "$@"
case " $* " in
  *' -C '*) while IFS= read -r line; do note "$line"; printf '%s\\n' "$line"; done | ${real} "$@" ;;
  *) exec ${real} "$@" ;;
esac
`;
  writeFileSync(join(folder, 'tmux'), shim, { mode: 0o755 });
  return {
    path: `${folder}:${process.env['PATH'] ?? ''}`,
    all: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .flatMap((line) => {
          const at = Number(line.split(' ', 1)[0]) * SECOND_MS;
          return [...line.matchAll(CAPTURE)].map(([, pane = '']) => ({ at, pane }));
        }),
  };
}
