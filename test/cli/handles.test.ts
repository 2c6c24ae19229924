/** The day's handles of a session, with real agents on real tmux: stop, restart, remove, attach, logs; a program that is not there. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { realDisk } from '../../state/files/disk.ts';
import { STATE } from '../../state/files/policy.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { exits, killHard, MAIN, TestTown, until } from './town.ts';
import type { Session } from './views.ts';

interface Stopped {
  readonly verdict: string | null;
  readonly rescue: { readonly folder: string; readonly ref: string | null } | null;
  readonly ended?: boolean;
  readonly pid?: number;
}
interface Report {
  readonly executed: readonly object[];
  readonly stopped: readonly { readonly session: string; readonly reason: string }[];
  readonly restarted: readonly { readonly session: string; readonly cause: string }[];
  readonly crash_loops: readonly object[];
}
interface Attach {
  readonly target: string;
  readonly command: readonly string[];
  readonly line: string;
}

const TICKS = 'n=0; while :; do n=$((n+1)); echo "tick $n"; sleep 0.2; done';
let town: TestTown;
let work: string;

const one = (name: string) => town.view(name);
const begin = async (name: string, ...words: string[]): Promise<Session> => {
  exits(await town.run('session', 'start', name, ...words), 0, '');
  return town.viewed(name, ({ state }) => state === 'running');
};
const permanent = (name: string, ...command: string[]) =>
  town.run('session', 'start', name, '--dir', work, '--restart', 'permanent', '--', ...command);
const git = (...words: string[]): string =>
  spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { cwd: work, encoding: 'utf8' }).stdout;

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

beforeAll(async () => {
  town = new TestTown('[sessions]\nbackoff = "100ms"\nscan_every = "200ms"\n[town]\nprotected = ["mayor"]\n');
  work = join(town.home, 'work');
  mkdirSync(work);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  writeFileSync(join(work, 'draft.txt'), 'not committed\n');
  await town.up();
});

describe('stop, start and remove', () => {
  // Rules: V-3.
  test.each<[string, string | null, RegExp]>([
    ['nux', 'tw-1', /^gt-shop-nux is stopped[^.]*\. The patrol of shop gives tw-1 to another polecat, unless tw-1 is /],
    ['max', null, /^gt-shop-max is stopped[^.]*\. The patrol of shop then clears it: its worktree stays until all /],
  ])(
    'what becomes of the work of polecat %s is said in one sentence, also when it is stopped already',
    async (name, bead, words) => {
      const session = `gt-shop-${name}`;
      await begin(session, '--dir', work, '--', 'sh', '-c', TICKS);
      const records = new RigRecords({ disk: realDisk(town.root, 0), policy: STATE });
      const made = { rig: 'shop', name, uuid: `u-${name}`, step: 'running', base: 'a'.repeat(40), main: null } as const;
      await records.savePolecat({ ...made, tip: null, bead, command: ['true'], at: 1 });
      const { stdout } = await town.run('session', 'stop', session);
      expect(stdout).toMatch(words);
      expect(stdout).toMatch(new RegExp(`\\(town polecat git-state shop/${name}\\)\\.\n$`));
      expect((await town.run('session', 'stop', session)).stdout).toMatch(
        /it did not run, and stays so\. The patrol of shop/,
      );
      await town.run('session', 'remove', session);
    },
  );

  test('its work is saved and said, it stays down over a kill -9 of the town, and nothing is told as a death', async () => {
    const agent = ['--dir', work, '--restart', 'permanent', '--', 'sh', '-c', TICKS];
    const { pid } = await begin('builder', ...agent);
    exits(
      await town.run('session', 'remove', 'builder'),
      5,
      /runs \(pid \d+\); stop it first: town session stop builder/,
    );

    const stopped = await town.data<Stopped>('session', 'stop', 'builder');
    expect(stopped).toMatchObject({ ended: true, verdict: 'executed' });
    expect(git('show', `${stopped.rescue!.ref}:draft.txt`)).toBe('not committed\n');
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect((await town.run('session', 'logs', 'builder', '--lines', '3')).stdout).toMatch(/^(tick \d+\n){3}$/);
    const { pid: townPid } = await town.status();
    killHard(townPid);
    await town.status((now) => now.running && now.pid !== townPid);
    expect(await one('builder')).toMatchObject({ state: 'ended', alive: false, note: 'stopped by the operator' });
    const again = await town.run('session', 'stop', 'builder');
    expect([again.stderr, again.stdout]).toEqual([
      '',
      expect.stringMatching(/is stopped: it did not run, and stays so/),
    ]);

    expect((await town.run('why', 'builder')).stdout).toMatch(
      /it was stopped by the operator; 1 file of its work was saved under/,
    );
    const report = await town.data<Report>('report');
    expect(report).toMatchObject({ executed: [], crash_loops: [], restarted: [] });
    expect(report.stopped.filter(({ session }) => session === 'builder')).toMatchObject([
      { reason: 'stopped by the operator' },
    ]);
    const { alerts, mail } = await town.status();
    expect([alerts, mail]).toEqual([[], []]);

    await begin('builder');
    expect((await town.run('session', 'stop', 'builder')).stdout).toMatch(
      /^builder is stopped; 1 file of its work was saved/,
    );
    expect((await town.run('session', 'remove', 'builder')).code).toBe(0);
    expect([town.record('builder'), await one('builder')]).toEqual([null, undefined]);
    expect(existsSync(join(town.root, stopped.rescue!.folder, 'scrollback.txt'))).toBe(true);
    expect((await town.run('why', 'builder')).stdout).toMatch(/it was removed/);
    expect((await town.run('session', 'remove', 'builder')).code).toBe(2);
  });

  test('one that keeps dying ends with it, and its pane’s last words are kept', async () => {
    const faulty = ['--restart', 'permanent', '--', 'sh', '-c', 'echo last words; exit 3'];
    exits(await town.run('session', 'start', 'faulty', ...faulty), 1, 'last words: last words');
    await until(() => (town.record('faulty')?.restarts ?? 0) > 1);
    expect((await town.run('session', 'stop', 'faulty')).code).toBe(0);
    expect(await one('faulty')).toMatchObject({ state: 'ended', alive: false });
    expect((await town.run('session', 'remove', 'faulty')).code).toBe(0);
    expect(town.tmux('list-sessions', '-F', '#{session_name}')).not.toContain('faulty');
    expect((await town.run('session', 'logs', 'faulty')).stdout).toContain('last words');
  });

  test('a restart gives another life with the same command, and is told as the operator’s', async () => {
    const before = await begin('again', '--dir', work, '--', 'sh', '-c', TICKS);
    const restarted = await town.data<Stopped>('session', 'restart', 'again');
    const after = await one('again');
    expect(after).toMatchObject({ state: 'running', alive: true, pid: restarted.pid });
    expect(after?.uuid).not.toBe(before.uuid);
    const { restarted: told } = await town.data<Report>('report');
    expect(told.filter(({ session }) => session === 'again')).toMatchObject([{ cause: 'asked by the operator' }]);
    expect((await town.run('session', 'stop', 'again', '--no-wait')).stdout).toMatch(/is being stopped/);
    await until(async () => (await one('again'))?.state === 'ended');
    expect((await town.run('session', 'restart', 'again')).stdout).toMatch(/^again is started \(pid \d+\)/);
    await town.run('session', 'stop', 'again');
  });

  test('a protected one only by force; an adopted one, an agent and a stranger are refused with what to type', async () => {
    await begin('mayor', '--', 'sleep', '1000');
    exits(await town.run('session', 'stop', 'mayor'), 5, 'town session stop mayor --force');
    expect((await town.run('session', 'stop', 'mayor', '--force')).code).toBe(0);

    town.tmux('new-session', '-d', '-s', 'mine', 'sh', '-c', 'sleep 1000; sleep 1000');
    expect((await town.run('session', 'stop', 'mine')).stderr).toContain('town session adopt mine');
    expect((await town.run('session', 'adopt', 'mine', '--process', 'sleep')).code).toBe(0);
    for (const word of ['stop', 'restart']) {
      exits(await town.run('session', word, 'mine'), 5, 'town session kill mine');
    }
    expect((await town.run('session', 'remove', 'mine')).code).toBe(5);
    spawnSync('kill', [String((await one('mine'))!.pid)]);
    await until(async () => (await one('mine'))?.state === 'ended');
    expect((await town.run('session', 'remove', 'mine')).code).toBe(0);
    // Its session stands, is a person's own again, and is not known again at the next start.
    expect(town.tmux('show-options', '-t', '=mine')).not.toContain('@town_');
    expect((await town.run('restart')).code).toBe(0);
    expect(town.record('mine')).toBeNull();

    const token = join(town.home, 'token');
    const agent = `printf %s "$TOWN_TOKEN" > ${token}.new; mv ${token}.new ${token}; sleep 1000`;
    await begin('agent', '--', 'sh', '-c', agent);
    const own = await until(() => (existsSync(token) ? readFileSync(token, 'utf8') : ''));
    for (const name of ['agent', 'mayor'])
      expect((await town.as(own, 'session', 'stop', name)).stderr).toMatch(
        new RegExp(`stopping ${name} is for the operator`),
      );
    await town.run('session', 'stop', 'agent');
    expect((await town.run('session', 'stop', 'nobody')).code).toBe(2);
  });
});

describe('attach and logs', () => {
  test('attach prints the line that works, quoted, where there is no terminal', async () => {
    await begin('pane', '--', 'sh', '-c', TICKS);
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
    killHard((await one('pane'))!.pid);
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
    expect((await permanent('brief', 'sh', '-c', agent)).code).toBe(1);
    const { follow, said } = following('brief', '--lines', '500');
    await until(() => said().includes('life 5'));
    const kept = await town.run('session', 'logs', 'brief', '--lines', '500');
    await town.run('session', 'stop', 'brief');
    expect(await follow).toBe(0);
    expect(said().filter((row) => row.startsWith('life'))).toEqual([1, 2, 3, 4, 5].map((n) => `life ${n}`));
    for (const rows of [said(), kept.stdout.trimEnd().split('\n')]) expect(rows).not.toContain('');
  });

  test('what a pane shows steers no terminal', async () => {
    await begin('loud', '--', 'sh', '-c', `printf 'a\\033]0;title\\007b\\033[31mc\\n'; sleep 1000`);
    expect(await until(async () => (await town.run('session', 'logs', 'loud')).stdout)).toBe('abc\n');
    await town.run('session', 'stop', 'loud');
  });
});

test('a program that is not there is refused before anything is on record', async () => {
  writeFileSync(join(work, 'agent.sh'), '#!/bin/sh\nsleep 1000\n', { mode: 0o644 });
  for (const [command, why] of [
    ['no-such-program', /no program "no-such-program" in the PATH that it would have \(.*\/bin/],
    ['./agent.sh', /work\/agent\.sh is not there, or cannot be run/],
  ] as const) {
    exits(await town.run('session', 'start', 'typo', '--dir', work, '--', command), 2, why);
  }
  expect([town.record('typo'), (await town.run('why', 'typo')).code]).toEqual([null, 2]);
  exits(await town.run('session', 'start', '--dir', work, '--', 'sleep', '60'), 2, 'start <name> -- sleep 60\n');
  // The town looks too: one that went away is no life, and none is back from the dead.
  writeFileSync(join(work, 'gone.sh'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  exits(await permanent('gone', './gone.sh'), 1, 'its pane showed nothing');
  writeFileSync(join(work, 'gone.sh'), '#!/bin/sh\nexit 3\n', { mode: 0o644 });
  spawnSync('chmod', ['-x', join(work, 'gone.sh')]);
  await until(() => town.record('gone')?.failedStarts);
  expect(town.record('gone')?.note).toMatch(/there is no program "\.\/gone\.sh"/);
  await town.run('session', 'stop', 'gone');
});
