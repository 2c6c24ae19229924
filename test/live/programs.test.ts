/** What a running town says of programs that change under it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, TestTown, until } from '../cli/town.ts';

interface Health {
  readonly well: boolean;
  readonly changes: readonly string[];
}
const REAL = spawnSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).stdout.trim();

// Rules: P-17.
test('tmux is upgraded under its server: health is well and names both versions, doctor too; a program starts all the same', async () => {
  const town = new TestTown();
  const bin = join(town.home, 'bin');
  mkdirSync(bin);
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  exits(await town.bare(['--root', town.root, 'up'], { env }), 0, '');
  await town.agent('one', ['sleep', '100000']);
  expect(await town.data<Health>('health')).toMatchObject({ well: true, changes: [] });
  const script = `#!/bin/sh\n[ "$1" = -V ] && { echo 'tmux 99.1'; exit 0; }\ncase " $* " in *' -C '*) exec ${REAL} "$@" >/dev/null;; esac\nexec ${REAL} "$@"\n`;
  writeFileSync(join(bin, 'tmux'), script);
  chmodSync(join(bin, 'tmux'), 0o755);
  const { well, changes } = await until(
    () => town.data<Health>('health'),
    (now) => now.changes.length > 0,
  );
  expect([well, changes]).toEqual([true, [expect.stringMatching(/^tmux in PATH is 99\.1, and its server is /)]]);
  const shown = await town.run('health');
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/^well: .*\nchanged: tmux in PATH is 99\.1/)]);
  const findings = await town.data<{ check: string; health: string; text: string }[]>('doctor');
  expect(findings.filter(({ check }) => check === 'programs')).toEqual([
    expect.objectContaining({ health: 'warn', text: changes[0] }),
  ]);
  await town.agent('two', ['sleep', '100000']);
});
