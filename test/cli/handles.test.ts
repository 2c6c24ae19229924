/** The day's handles of a session, with real agents on real tmux: stop, restart, remove. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { realDisk } from '../../state/files/disk.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { exits, killHard, until } from './town.ts';
import { TICKS, Workshop } from './workshop.ts';

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

let town: Workshop;
beforeAll(async () => {
  town = await new Workshop().up();
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
      await town.begin(session, '--dir', town.work, '--', 'sh', '-c', TICKS);
      const records = new RigRecords({ disk: realDisk(town.root, 0) });
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
    const agent = ['--dir', town.work, '--restart', 'permanent', '--', 'sh', '-c', TICKS];
    const { pid } = await town.begin('builder', ...agent);
    exits(
      await town.run('session', 'remove', 'builder'),
      5,
      /runs \(pid \d+\); stop it first: town session stop builder/,
    );

    const stopped = await town.data<Stopped>('session', 'stop', 'builder');
    expect(stopped).toMatchObject({ ended: true, verdict: 'stopped' });
    expect(town.git('show', `${stopped.rescue!.ref}:draft.txt`)).toBe('not committed\n');
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect((await town.run('session', 'logs', 'builder', '--lines', '3')).stdout).toMatch(/^(tick \d+\n){3}$/);
    const { pid: townPid } = await town.status();
    killHard(townPid);
    await town.status((now) => now.running && now.pid !== townPid);
    expect(await town.view('builder')).toMatchObject({ state: 'ended', alive: false, note: 'stopped by the operator' });
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

    await town.begin('builder');
    expect((await town.run('session', 'stop', 'builder')).stdout).toMatch(
      /^builder is stopped; 1 file of its work was saved/,
    );
    expect((await town.run('session', 'remove', 'builder')).code).toBe(0);
    expect([town.record('builder'), await town.view('builder')]).toEqual([null, undefined]);
    expect(existsSync(join(town.root, stopped.rescue!.folder, 'scrollback.txt'))).toBe(true);
    expect((await town.run('why', 'builder')).stdout).toMatch(/it was removed/);
    expect((await town.run('session', 'remove', 'builder')).code).toBe(2);
  });

  test('one that keeps dying ends with it, and its pane’s last words are kept', async () => {
    const faulty = ['--restart', 'permanent', '--', 'sh', '-c', 'echo last words; exit 3'];
    exits(await town.run('session', 'start', 'faulty', ...faulty), 1, 'last words: last words');
    await until(() => (town.record('faulty')?.restarts ?? 0) > 1);
    expect((await town.run('session', 'stop', 'faulty')).code).toBe(0);
    expect(await town.view('faulty')).toMatchObject({ state: 'ended', alive: false });
    expect((await town.run('session', 'remove', 'faulty')).code).toBe(0);
    expect(town.tmux('list-sessions', '-F', '#{session_name}')).not.toContain('faulty');
    expect((await town.run('session', 'logs', 'faulty')).stdout).toContain('last words');
  });

  test('a restart gives another life with the same command, and is told as the operator’s', async () => {
    const before = await town.begin('again', '--dir', town.work, '--', 'sh', '-c', TICKS);
    const restarted = await town.data<Stopped>('session', 'restart', 'again');
    const after = await town.view('again');
    expect(after).toMatchObject({ state: 'running', alive: true, pid: restarted.pid });
    expect(after?.uuid).not.toBe(before.uuid);
    const { restarted: told } = await town.data<Report>('report');
    expect(told.filter(({ session }) => session === 'again')).toMatchObject([{ cause: 'asked by the operator' }]);
    expect((await town.run('session', 'stop', 'again', '--no-wait')).stdout).toMatch(/is being stopped/);
    await until(async () => (await town.view('again'))?.state === 'ended');
    expect((await town.run('session', 'restart', 'again')).stdout).toMatch(/^again is started \(pid \d+\)/);
    await town.run('session', 'stop', 'again');
  });

  test('a protected one only by force; an adopted one, an agent and a stranger are refused with what to type', async () => {
    await town.begin('mayor', '--', 'sleep', '1000');
    exits(await town.run('session', 'stop', 'mayor'), 5, 'town session stop mayor --force');
    expect((await town.run('session', 'stop', 'mayor', '--force')).code).toBe(0);

    town.tmux('new-session', '-d', '-s', 'mine', 'sh', '-c', 'sleep 1000; sleep 1000');
    expect((await town.run('session', 'stop', 'mine')).stderr).toContain('town session adopt mine');
    expect((await town.run('session', 'adopt', 'mine', '--process', 'sleep')).code).toBe(0);
    for (const word of ['stop', 'restart']) {
      exits(await town.run('session', word, 'mine'), 5, 'town session kill mine');
    }
    expect((await town.run('session', 'remove', 'mine')).code).toBe(5);
    spawnSync('kill', [String((await town.view('mine'))!.pid)]);
    await until(async () => (await town.view('mine'))?.state === 'ended');
    expect((await town.run('session', 'remove', 'mine')).code).toBe(0);
    // Its session stands, is a person's own again, and is not known again at the next start.
    expect(town.tmux('show-options', '-t', '=mine')).not.toContain('@town_');
    expect((await town.run('restart')).code).toBe(0);
    expect(town.record('mine')).toBeNull();

    const token = join(town.home, 'token');
    const agent = `printf %s "$TOWN_TOKEN" > ${token}.new; mv ${token}.new ${token}; sleep 1000`;
    await town.begin('agent', '--', 'sh', '-c', agent);
    const own = await until(() => (existsSync(token) ? readFileSync(token, 'utf8') : ''));
    for (const name of ['agent', 'mayor'])
      expect((await town.as(own, 'session', 'stop', name)).stderr).toMatch(
        new RegExp(`stopping ${name} is for the operator`),
      );
    await town.run('session', 'stop', 'agent');
    expect((await town.run('session', 'stop', 'nobody')).code).toBe(2);
  });
});
