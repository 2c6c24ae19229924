/** One root, one tmux server: what stands on the recorded socket is neither left behind nor looked for elsewhere. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, killHard, prints, TestTown, until } from '../cli/town.ts';
import type { Status } from '../cli/views.ts';
import { isAlive } from './yard.ts';

const RECORD = 'daemon/tmux-socket';
const mine = ['new-session', '-d', '-s', 'mine', 'sleep', '1000'] as const;

class House extends TestTown {
  readonly other = join(this.home, 'other');

  /** The path on record. */
  recorded(): string {
    return (JSON.parse(this.read(RECORD)) as { path: string }).path;
  }

  /** The agent of a session that it starts. */
  async begin(session: string): Promise<number> {
    expect((await this.run('session', 'start', session, '--', 'sleep', '1000')).code).toBe(0);
    return until(() => this.pidOf(session));
  }

  pidOf(session: string): number {
    return Number(this.tmux('list-panes', '-t', `=${session}`, '-F', '#{pane_pid}'));
  }

  /** What the town leaves on a server is all in here. */
  marks(): string {
    const all = [
      ['show-options', '-s'],
      ['show-options', '-g'],
      ['show-hooks', '-g'],
      ['list-panes', '-a', '-F', '#{session_name} #{@town_key} #{@town_hidden} #{remain-on-exit}'],
    ];
    return all.map((words) => this.tmux(...words)).join('\n');
  }

  async sessions(): Promise<Status['sessions']> {
    return (await this.status()).sessions;
  }
}

const names = (town: House): RegExp => new RegExp(`^[^\\n]*${town.other} now, but [^\\n]*${town.socket}: [^\\n]*\\n$`);

// Rules: C-12.
test('another socket is refused by up, restart and daemon run while the town stands on the first, and nothing is touched', async () => {
  const town = new House();
  town.tmux(...mine);
  const before = town.marks();
  await town.up();
  expect(town.recorded()).toBe(town.socket);
  expect(statSync(join(town.root, RECORD)).mode & 0o777).toBe(0o600);
  const agent = await town.begin('k');
  const { pid, epoch } = await town.status();

  town.configure('', town.other);
  for (const words of [['restart'], ['up']]) {
    const refused = await town.run(...words);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(names(town))]);
    expect(refused.stderr).toContain(`set it back to ${JSON.stringify(town.socket)}, or type \`town down --purge\``);
  }
  expect(await town.status()).toMatchObject({ pid, epoch, sessions: [{ name: 'k', alive: true }, {}] });
  prints(await town.run('doctor'), 1, /bad .*tmux socket: .* now, but /);

  expect((await town.run('down')).code).toBe(0);
  const unlatched = join(town.root, 'daemon/stopped');
  expect(existsSync(unlatched)).toBe(true);
  spawnSync('rm', [unlatched]);
  exits(await town.run('daemon', 'run'), 5, names(town));
  expect(existsSync(town.other)).toBe(false);

  // Who looks goes by the record too.
  expect(await town.sessions()).toMatchObject([{ name: 'k', alive: true, in_tmux: true }, { name: 'mine' }]);
  expect((await town.run('watch', '--all')).stdout).toMatch(/^mine /m);
  expect(await town.run('nudge', 'mine', 'hello')).toMatchObject({ code: 5 });

  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  spawnSync('kill', [String(agent)]);
  await until(town.marks.bind(town), (now) => now === before);
  await town.up();
  expect(town.recorded()).toBe(town.other);
  expect((await town.run('doctor')).stdout).toContain(`tmux socket: ${town.other}`);
});

// Rules: F-2.
test('a socket given by --set is found again by what comes without it; agents that are left there keep the town there', async () => {
  const town = new House();
  town.configure('', town.other);
  town.tmux(...mine);
  const before = town.marks();
  expect((await town.run('up', '--set', `tmux.socket=${town.socket}`)).code).toBe(0);
  const agent = await town.begin('k');
  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  expect(town.marks().replace(/^k .*\n/m, '')).toBe(before);
  exits(await town.run('up'), 5, /agents of this town \(k\) still run on/);
  expect(isAlive(agent)).toBe(true);
  process.kill(agent, 'SIGTERM');
  await until(() => !isAlive(agent));

  // It ended between two looks, as it could have on the first server: it runs again where the town is now.
  await town.up();
  await until(async () =>
    (await town.sessions()).some(({ name, alive, in_tmux }) => name === 'k' && alive === true && in_tmux),
  );
  expect(town.pidOf('k')).toBe(0);
});

// Rules: C-12.
test('a town that falls after its socket was edited comes back where it was, and a person is told', async () => {
  const town = await new House().up();
  const agent = await town.begin('k');
  const { pid } = await town.status();
  town.configure('', town.other);
  killHard(pid);
  const status = await until(
    () => town.status().catch(() => null), // it hung up in the middle of an answer
    (now) => now !== null && now.running && now.ready && now.pid !== pid,
  );
  expect(status).toMatchObject({ sessions: [{ name: 'k', alive: true, in_tmux: true }] });
  await until(async () => (await town.episodes()).includes('socket-moved'));
  const { alerts } = await town.status();
  expect(alerts.find(({ episode }) => episode === 'socket-moved')?.text).toMatch(
    new RegExp(`${town.other} now, but .*${town.socket}.*goes on where it is`),
  );
  expect(town.pidOf('k')).toBe(agent);
  town.configure();
  expect((await town.run('restart')).code).toBe(0);
  await until(async () => !(await town.episodes()).includes('socket-moved'));
});

test('a server that is gone holds no town, and a record that is none is put away', async () => {
  const town = new House();
  town.tmux(...mine);
  await town.up();
  expect((await town.run('down')).code).toBe(0);
  spawnSync('tmux', ['-S', town.socket, 'kill-server'], { env: town.env() });
  town.configure('', town.other);
  expect(await town.run('up')).toMatchObject({ code: 0, stderr: '' });
  expect(town.recorded()).toBe(town.other);
  expect((await town.run('down')).code).toBe(0);
  town.write(RECORD, 'somewhere');
  await town.up();
  expect(town.recorded()).toBe(town.other);
  expect(town.names('quarantine').filter((name) => name.endsWith('tmux-socket'))).toHaveLength(1);
});

test('a link to the folder of the socket is no other socket, and a silent server holds the town', async () => {
  const town = new House();
  town.tmux(...mine);
  await town.up();
  spawnSync('ln', ['-s', town.home, join(town.home, 'link')]);
  town.configure('', join(town.home, 'link', 'tmux'));
  expect((await town.run('restart')).code).toBe(0);
  expect(town.recorded()).toBe(town.socket);
  expect((await town.run('down')).code).toBe(0);
  town.configure('', town.other);
  const server = Number(town.tmux('display-message', '-p', '-t', '=mine:', '#{pid}'));
  process.kill(server, 'SIGSTOP');
  try {
    exits(await town.run('up'), 5, /it is unknown \(.*did not answer/);
  } finally {
    process.kill(server, 'SIGCONT');
  }
  expect(readFileSync(join(town.root, RECORD), 'utf8')).toContain(town.socket);
});
