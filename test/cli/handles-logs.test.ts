/** Panes of sessions, with real agents on real tmux: attach, logs; and a program that is not there. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { exits, killHard, MAIN, until } from './town.ts';
import { TICKS, Workshop } from './workshop.ts';

interface Attach {
  readonly target: string;
  readonly command: readonly string[];
  readonly line: string;
}

let town: Workshop;
beforeAll(async () => {
  town = await new Workshop().up();
});

/** `logs -f` of a session, from its last row on. */
function following(
  name: string,
  ...words: string[]
): { readonly follow: Promise<number | null>; readonly said: () => string[] } {
  const more = words.length > 0 ? words : ['--lines', '1'];
  const args = [MAIN, '--root', town.root, 'session', 'logs', name, '-f', ...more];
  const child = spawn(process.execPath, args, { env: town.env(), stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  return { follow: new Promise((resolve) => child.on('close', resolve)), said: () => text.split('\n').slice(0, -1) };
}
/** What it said of each life. */
function lives(rows: readonly string[]): string[][] {
  const found: string[][] = [[]];
  for (const row of rows)
    if (/^--- \S+ started again$/.test(row)) found.push([]);
    else found.at(-1)?.push(row);
  return found;
}
const firstOf = ([row = '']: readonly string[]): number => Number(/\d+/.exec(row)?.[0]);

describe('attach and logs', () => {
  test('attach prints the line that works, quoted, where there is no terminal', async () => {
    await town.begin('pane', '--', 'sh', '-c', TICKS);
    const { line, target, command } = await town.data<Attach>('session', 'attach', 'pane');
    expect([target, command.slice(0, 2)]).toEqual(['=pane', ['tmux', '-S']]);
    // It only tells where to look: a beginning of the name is enough.
    for (const word of ['pane', 'pan']) expect((await town.run('session', 'attach', word)).stdout).toBe(`${line}\n`);
    const probe = line.replace('attach-session', 'list-windows -F "#{session_name}"');
    for (const shell of ['sh', 'bash'])
      expect(spawnSync(shell, ['-c', probe], { encoding: 'utf8' }).stdout).toBe('pane\n');
    const inside = await town.bare(['--root', town.root, 'session', 'attach', 'pane'], {
      env: { TMUX: `${town.socket},1,0` },
    });
    expect(inside.stdout).toContain('switch-client');
    // On a terminal it attaches: `script` gives it one, and another client ends that.
    const attach = `${process.execPath} ${MAIN} --root ${town.root} session attach pane`;
    const typed = spawn('script', ['-qec', attach, '/dev/null'], {
      env: town.env({ TERM: 'xterm' }),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = new Promise<number | null>((resolve) => typed.on('close', resolve));
    typed.stdout.resume();
    const clients = (): string => town.tmux('list-clients', '-t', '=pane', '-F', '#{client_control_mode}');
    await until(() => clients().includes('0'));
    town.tmux('detach-client', '-s', '=pane');
    expect(await ended).toBe(0);
  });

  test('logs -f goes on over restarts and crashes with each row once, and ends with the session', async () => {
    const { follow, said } = following('pane');
    const head = `"${process.execPath}" "${MAIN}" --root "${town.root}" session logs pane -f | head -n 3`;
    const cut = spawnSync('sh', ['-c', head], { env: town.env(), encoding: 'utf8' });
    expect([cut.stdout.trim().split('\n').length, cut.stderr]).toEqual([3, '']);
    await until(() => said().length > 3);
    expect((await town.run('session', 'restart', 'pane')).code).toBe(0);
    await until(() => (lives(said())[1]?.length ?? 0) > 2);
    killHard((await town.view('pane'))!.pid);
    await until(() => (lives(said())[2]?.length ?? 0) > 2);
    expect((await town.run('session', 'stop', 'pane')).code).toBe(0);
    expect(await follow).toBe(0);
    const all = lives(said());
    expect(all).toHaveLength(3);
    // Its shell and tmux have words of their own for its end.
    const whole = all.map((rows) => rows.filter((row) => row.startsWith('tick')));
    for (const rows of whole) expect(rows).toEqual(rows.map((_, at) => `tick ${firstOf(rows) + at}`));
    expect(whole.slice(1).map(firstOf)).toEqual([1, 1]);
  });

  test('logs -f misses no row of lives that come and go between two looks, and shows no empty screen', async () => {
    // Its last words stand for a moment, or tmux 3.3a loses them.
    const agent =
      'n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; echo "life $n"; sleep 0.1; [ $n -gt 4 ] && sleep 1000';
    expect((await town.permanent('brief', 'sh', '-c', agent)).code).toBe(1);
    const { follow, said } = following('brief', '--lines', '500');
    await until(() => said().includes('life 5'));
    const kept = await town.run('session', 'logs', 'brief', '--lines', '500');
    await town.run('session', 'stop', 'brief');
    expect(await follow).toBe(0);
    expect(said().filter((row) => row.startsWith('life'))).toEqual([1, 2, 3, 4, 5].map((n) => `life ${n}`));
    for (const rows of [said(), kept.stdout.trimEnd().split('\n')]) expect(rows).not.toContain('');
  });

  test('what a pane shows steers no terminal', async () => {
    await town.begin('loud', '--', 'sh', '-c', `printf 'a\\033]0;title\\007b\\033[31mc\\n'; sleep 1000`);
    expect(await until(async () => (await town.run('session', 'logs', 'loud')).stdout)).toBe('abc\n');
    await town.run('session', 'stop', 'loud');
  });
});

test('a program that is not there is refused before anything is on record', async () => {
  writeFileSync(join(town.work, 'agent.sh'), '#!/bin/sh\nsleep 1000\n', { mode: 0o644 });
  for (const [command, why] of [
    ['no-such-program', /no program "no-such-program" in the PATH that it would have \(.*\/bin/],
    ['./agent.sh', /work\/agent\.sh is not there, or cannot be run/],
  ] as const) {
    exits(await town.run('session', 'start', 'typo', '--dir', town.work, '--', command), 2, why);
  }
  expect([town.record('typo'), (await town.run('why', 'typo')).code]).toEqual([null, 2]);
  exits(await town.run('session', 'start', '--dir', town.work, '--', 'sleep', '60'), 2, 'start <name> -- sleep 60\n');
  // The town looks too: one that went away is no life, and none is back from the dead.
  writeFileSync(join(town.work, 'gone.sh'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  exits(await town.permanent('gone', './gone.sh'), 1, 'its pane showed nothing');
  writeFileSync(join(town.work, 'gone.sh'), '#!/bin/sh\nexit 3\n', { mode: 0o644 });
  spawnSync('chmod', ['-x', join(town.work, 'gone.sh')]);
  await until(() => town.record('gone')?.failedStarts);
  expect(town.record('gone')?.note).toMatch(/there is no program "\.\/gone\.sh"/);
  await town.run('session', 'stop', 'gone');
});
