import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test, vi } from 'vitest';
import { isInteractiveShell } from '../../src/proc/command.ts';
import { Followed } from '../../src/proc/followed.ts';
import { linuxSource, parseStat } from '../../src/proc/linux.ts';
import { ProcessUnknown, SignalRefused, createProcesses } from '../../src/proc/processes.ts';
import { Yard, here, lifeOf, pids, table, until } from './yard.ts';

let yard: Yard;
beforeEach(() => (yard = new Yard()));

test('a process is its pid, its start time and the boot', async () => {
  const agent = await yard.bash('touch $READY; sleep 60');
  expect(agent.started).toMatch(/^\d+@[0-9a-f-]{36}$/);
  expect(table.alive(agent)).toBe(true);
  const [ticks, boot] = agent.started.split('@');
  expect(table.alive({ ...agent, started: `${Number(ticks) + 1}@${boot}` }), 'the pid was given again').toBe(false);
  expect(table.alive({ ...agent, started: `${ticks}@${randomUUID()}` }), 'the machine booted').toBe(false);
  await yard.reap(agent);
  expect(table.proc(agent.pid)).toBeNull();
});

// Rules: law 3, I-8.
test('a reused pid is never signalled', async () => {
  const agent = await yard.bash('touch $READY; sleep 60');
  const [ticks, boot] = agent.started.split('@');
  expect(table.signal({ ...agent, started: `${Number(ticks) - 1}@${boot}` }, 'KILL')).toBe(false);
  expect(table.alive(agent)).toBe(true);
  expect(table.signal(agent, 'KILL')).toBe(true);
  await yard.reap(agent);
  expect(table.signal(agent, 'KILL')).toBe(false);
});

test('a name with brackets, blanks and line breaks moves no field', async () => {
  const agent = await yard.bash(`printf ') S 1 1 (\\n' > /proc/$$/comm; touch $READY; read < <(sleep 60)`);
  expect(readFileSync(`/proc/${agent.pid}/comm`, 'latin1')).toBe(') S 1 1 (\n\n'.slice(0, 11));
  expect(table.alive(agent)).toBe(true);
  expect(parseStat(readFileSync(`/proc/${agent.pid}/stat`, 'latin1'))).toMatchObject({
    pid: agent.pid,
    ppid: process.pid,
    sid: agent.pid,
    zombie: false,
  });
  expect(() => parseStat('12 (cut')).toThrow(ProcessUnknown);
});

test('held is who cannot run: stopped, or waiting for a disk; no other life and no one that is gone', async () => {
  const agent = await yard.bash('touch $READY; sleep 60');
  expect(table.held(agent)).toBe(false);
  process.kill(agent.pid, 'SIGSTOP');
  await until(() => table.held(agent), 'stopped');
  expect(table.held({ ...agent, started: 'another' })).toBe(false);
  process.kill(agent.pid, 'SIGCONT');
  await until(() => !table.held(agent), 'continued');
  const stat = readFileSync(`/proc/${agent.pid}/stat`, 'utf8');
  const inState = (state: string) => parseStat(stat.replace(/\) \S /, `) ${state} `)).held;
  expect(['R', 'S', 'T', 't', 'D', 'I', 'Z'].filter(inState)).toEqual(['T', 't', 'D']);
  process.kill(agent.pid, 'SIGKILL');
  await yard.reap(agent);
  expect(table.held(agent)).toBe(false);
});

test('a zombie is dead', async () => {
  // The shell turns into a program that never waits for the child it started as a shell.
  await yard.bash(
    '(echo $BASHPID > $DIR/child; exec sleep 0.3) & until [ -s $DIR/child ]; do :; done; touch $READY; exec sleep 60',
  );
  const pid = Number(readFileSync(`${yard.dir}/child`, 'utf8'));
  const state = () => parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1')).zombie;
  await until(state, 'a zombie');
  expect(table.proc(pid)).toBeNull();
  expect(table.describe(pid)).toBeNull();
});

test('a program whose first thread ended lives as long as the others do', async () => {
  const exit = process.arch === 'arm64' ? 93 : 60; // of a thread alone; only the number is a matter of the machine
  const program = `threads->create(sub { open(F, ">", $ENV{READY}); close F; sleep 1 while 1 }); syscall(${exit}, 0)`;
  const agent = await yard.bash(`exec perl -Mthreads -e '${program}'`);
  const state = (): string =>
    readFileSync(`/proc/${agent.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .charAt(0);
  await until(() => state() === 'Z', 'its first thread gone');
  for (let asked = 0; asked < 3; asked += 1) expect(table.alive(agent)).toBe(true);
  expect(await table.treeOf(lifeOf(agent), null)).toEqual([agent]);
  expect(table.signal(agent, 'KILL')).toBe(true);
  await yard.reap(agent);
  expect(table.alive(agent)).toBe(false);
});

test('of the files that it may have open, it keeps a part for others', async () => {
  for (let n = 0; n < 12; n += 1) await yard.bash('touch $READY; exec sleep 60');
  const program = fileURLToPath(new URL('programs/followed.ts', import.meta.url));
  const few = ['-c', 'ulimit -n 40; exec "$0" "$1"', process.execPath, program];
  expect(Number(execFileSync('bash', few, { encoding: 'utf8' }))).toBe(10);
});

test('asked again and again, it tells of the same process: alive, a zombie, gone; and of one life only', async () => {
  await yard.bash(
    '(echo $BASHPID > $DIR/child; exec sleep 0.5) & until [ -s $DIR/child ]; do :; done; touch $READY; exec sleep 60',
  );
  const child = await yard.written('child');
  for (let asked = 0; asked < 3; asked += 1) expect(table.alive(child)).toBe(true);
  expect(table.alive({ ...child, started: 'another' })).toBe(false);
  await until(() => !table.alive(child), 'a zombie');
  const agent = await yard.bash('touch $READY; sleep 60');
  for (let asked = 0; asked < 3; asked += 1) expect(table.alive(agent)).toBe(true);
  process.kill(agent.pid, 'SIGKILL');
  await yard.reap(agent);
  for (let asked = 0; asked < 3; asked += 1) expect(table.alive(agent)).toBe(false);
});

test('it follows as many as it may, keeps no file of one that ended, and says so where it cannot tell', async () => {
  const followed = new Followed({
    root: '/proc',
    is: (proc) => table.proc(proc.pid)?.started === proc.started,
    most: 1,
  });
  const first = await yard.bash('touch $READY; sleep 60');
  followed.follow({ ...first, started: 'another' });
  expect(followed.lives({ ...first, started: 'another' })).toBe(null);
  followed.follow(first);
  followed.follow(here(process.pid));
  expect([followed.lives(first), followed.lives(here(process.pid))]).toEqual([true, null]);
  process.kill(first.pid, 'SIGKILL');
  await yard.reap(first);
  followed.follow(here(process.pid));
  expect([followed.lives(first), followed.lives(here(process.pid))]).toEqual([null, true]);
});

// Rules: law 1.
test('what cannot be told throws and is never "gone"', async () => {
  mkdirSync(join(yard.dir, 'sys/kernel/random'), { recursive: true });
  writeFileSync(join(yard.dir, 'sys/kernel/random/boot_id'), 'a-boot');
  const blind = createProcesses({ source: linuxSource(yard.dir) });
  expect(() => blind.proc(process.pid)).toThrow('lives but');
  expect(() => blind.alive(here(process.pid))).toThrow(ProcessUnknown);
  await expect(blind.treeOf(lifeOf(here(process.pid)), null)).rejects.toThrow('proves nothing');
  const full = new ProcessUnknown('too many open files');
  const refuse = (): never => {
    throw full;
  };
  const starved = createProcesses({ source: { ...linuxSource(), row: refuse, rows: () => Promise.reject(full) } });
  expect(() => starved.alive(here(process.pid))).toThrow(full);
  expect(() => starved.signal(here(process.pid), 'TERM')).toThrow(full);
  await expect(starved.treeOf(lifeOf(here(process.pid)), null)).rejects.toThrow(full);
});

// Rules: D-10.
test('pid 1, the town, its group and its ancestors are never signalled', async () => {
  const group = spawn('sleep', ['60'], { stdio: 'ignore' });
  const groupMember = here(group.pid ?? 0);
  for (const proc of [here(1), here(process.pid), here(process.ppid), groupMember])
    expect(() => table.signal(proc, 'TERM')).toThrow(SignalRefused);
  expect(table.alive(groupMember)).toBe(true);
  group.kill('SIGKILL');
  const agent = await yard.bash('sleep 60 & echo $! > $DIR/kid; touch $READY; wait');
  const below = createProcesses({ own: (await yard.written('kid')).pid });
  expect(() => below.signal(agent, 'TERM')).toThrow(SignalRefused);
  await expect(below.treeOf(lifeOf(agent), null)).rejects.toThrow('the town runs below it');
  await expect(table.treeOf(lifeOf(here(process.pid)), null)).rejects.toThrow('it is the town itself');
});

// Rules: I-14.
test('the tree holds descendants, setsid and nohup children and orphans with the mark, and no other', async () => {
  const uuid = randomUUID();
  const control = await yard.bash('touch $READY; sleep 60', { TOWN_INCARNATION: `${uuid}0` });
  const agent = await yard.bash(
    `trap '' HUP TERM
     (trap '' HUP; echo $BASHPID > $DIR/deaf; sleep 60) &
     setsid bash -c 'echo $$ > $DIR/setsid; sleep 60' &
     nohup bash -c 'echo $$ > $DIR/nohup; sleep 60' >/dev/null 2>&1 &
     (setsid bash -c 'echo $$ > $DIR/orphan; sleep 60' &) 
     env -i PATH=$PATH bash -c 'echo $$ > '$DIR'/bare; sleep 60' &
     touch $READY; wait`,
    { TOWN_INCARNATION: uuid },
  );
  const named = await Promise.all(['deaf', 'setsid', 'nohup', 'orphan', 'bare'].map((name) => yard.written(name)));
  await until(() => parseStat(readFileSync(`/proc/${named[3]?.pid}/stat`, 'latin1')).ppid !== agent.pid, 'an orphan');
  const tree = await table.treeOf(lifeOf(agent, { uuid }), null);
  yard.keep(tree);
  expect(pids(tree)).toEqual(expect.arrayContaining(pids([agent, ...named])));
  expect(tree[0]).toEqual(agent);
  expect(pids(tree)).not.toContain(control.pid);
  expect(pids(tree)).not.toContain(process.pid);
  const marksOnly = await table.treeOf(lifeOf({ pid: agent.pid, started: '1@other' }, { uuid }), null);
  expect(pids(marksOnly), 'another boot: the marks are all that counts').toContain(named[0]?.pid);
});

test('a life without a pane has its tree though it names itself as its server; all that carry an entry are found', async () => {
  const entry = { HOME: join(yard.dir, 'home') };
  const agent = await yard.bash(
    `(setsid bash -c 'echo $$ > $DIR/orphan; sleep 60' &); sleep 60 & touch $READY; wait`,
    entry,
  );
  const orphan = await yard.written('orphan');
  const other = await yard.bash('touch $READY; sleep 60', { HOME: `${entry.HOME}2` });
  expect(pids(await table.treeOf(lifeOf(agent, { server: agent, origin: 'detached' }), null))).toContain(agent.pid);
  const carriers = await table.carrying(`HOME=${entry.HOME}`);
  yard.keep(carriers);
  expect(carriers).toEqual(expect.arrayContaining([agent, orphan]));
  expect(pids(carriers)).not.toContain(other.pid);
  expect(await table.carrying(`PATH=${process.env['PATH'] ?? ''}`)).not.toContainEqual(here(process.pid));
});

test('of a listed process whose parents died the children are found, with no mark and no terminal', async () => {
  const agent = await yard.bash(
    `env -i bash -c 'echo $$ > '$DIR'/mid; until [ -e '$DIR'/go ]; do /bin/sleep 0.05; done; /bin/sleep 60 & echo $! > '$DIR'/late; wait' &
     touch $READY; wait`,
  );
  const mid = await yard.written('mid');
  const listed = await table.treeOf(lifeOf(agent), null);
  expect(pids(listed)).toContain(mid.pid);
  yard.keep(listed);
  await yard.reap(agent);
  spawn('touch', [`${yard.dir}/go`]);
  const late = await yard.written('late');
  expect(pids(await table.treeOf(lifeOf(agent), null, listed))).toEqual(pids([mid, late]));
});

test('an adopted agent: its descendants, not the shell above it and not the shell’s other jobs', async () => {
  const shell = await yard.bash(
    `sleep 60 & echo $! > $DIR/job
     bash -c 'echo $$ > $DIR/agent; sleep 60 & echo $! > $DIR/kid; wait' & touch $READY; wait`,
  );
  const [job, agent, kid] = await Promise.all(['job', 'agent', 'kid'].map((name) => yard.written(name)));
  if (!agent || !job || !kid) throw new Error('not started');
  const adopted = lifeOf(agent, { origin: 'adopted' });
  expect(pids(await table.treeOf(adopted, null))).toEqual(pids([agent, kid]));
  expect(table.alive(shell) && table.alive(job)).toBe(true);
});

test('a tmux server that an agent happened to start keeps its panes: they may be anybody’s', async () => {
  const uuid = randomUUID();
  const socket = join(yard.dir, 'tmux.sock');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env: { PATH: process.env['PATH'], TOWN_INCARNATION: uuid },
      encoding: 'utf8',
    });
  tmux('new-session', '-d', '-s', 'person', 'sleep', '60');
  try {
    const [server = 0, pane = 0] = tmux('display-message', '-p', '-t', 'person:', '#{pid} #{pane_pid}')
      .split(' ')
      .map(Number);
    const agent = await yard.bash('touch $READY; sleep 60', { TOWN_INCARNATION: uuid });
    expect(readFileSync(`/proc/${pane}/environ`, 'utf8')).toContain(uuid);
    const tree = pids(await table.treeOf(lifeOf(agent, { uuid }), null));
    expect(tree).toContain(agent.pid);
    expect(tree).not.toContain(server);
    expect(tree).not.toContain(pane);
    // In a pane, the agent itself and what it starts are found all the same; the server and the other panes are not.
    tmux('new-window', '-d', 'sleep 60');
    const inPane = lifeOf(here(pane), { uuid: randomUUID(), server: here(server) });
    expect(pids(await table.treeOf(inPane, table.ttyOf(pane)))).toEqual([pane]);
  } finally {
    tmux('kill-server');
  }
});

// Rules: I-14.
test('who outlives a tmux server that the agent had started is anybody’s still; in the agent’s own server the mark counts', async () => {
  const uuid = randomUUID();
  const agent = await yard.bash(
    `tmux -S $DIR/s -f /dev/null new-session -d "trap '' HUP; echo \\$\\$ > $DIR/pane; exec sleep 60"
     tmux -S $DIR/s display-message -p '#{pid}' > $DIR/server; touch $READY; wait; sleep 60`,
    { TOWN_INCARNATION: uuid },
  );
  const [server, pane] = [await yard.written('server'), await yard.written('pane')];
  expect(pids(await table.treeOf(lifeOf(agent, { uuid }), null))).not.toContain(pane.pid);
  process.kill(server.pid, 'SIGTERM');
  await until(() => !table.alive(server), 'the end of the server');
  expect(readFileSync(`/proc/${pane.pid}/environ`, 'utf8')).toContain(uuid);
  expect(pids(await table.treeOf(lifeOf(agent, { uuid }), null))).not.toContain(pane.pid);
  expect(pids(await table.treeOf(lifeOf(agent, { uuid, server }), null))).toContain(pane.pid);
});

test('after the agent’s end its session is ours only with a proof: a listed member still in it', async () => {
  const agent = await yard.bash(
    `env -i bash -c 'echo $$ > '$DIR'/one; /bin/sleep 60; :' & env -i bash -c 'echo $$ > '$DIR'/two; /bin/sleep 60; :' &
     touch $READY; wait`,
  );
  const [one, two] = await Promise.all([yard.written('one'), yard.written('two')]);
  yard.keep(await table.treeOf(lifeOf(agent), null));
  await yard.reap(agent);
  const target = lifeOf(agent);
  expect(await table.treeOf(target, null), 'nothing proves them ours').toEqual([]);
  expect(pids(await table.treeOf(target, null, [one]))).toEqual(expect.arrayContaining(pids([one, two])));
  expect(
    await table.treeOf(target, null, [{ ...one, started: one.started.replace(/^\d+/, '1') }]),
    'the listed pid was given again',
  ).toEqual([]);
});

test('a process tells its words, folder, children and CPU time', async () => {
  const agent = await yard.bash('touch $READY; for i in {1..200000}; do :; done; sleep 60; :');
  expect(table.commandOf(agent.pid)).toMatchObject({ comm: 'bash', argv: ['bash', '-c', expect.any(String)] });
  expect(table.cwdOf(agent)).toBe(yard.dir);
  expect(table.ttyOf(agent.pid)).toBeNull();
  expect(table.describe(agent.pid)).toMatchObject({
    pid: agent.pid,
    ppid: process.pid,
    tty: null,
    interactiveShell: false,
  });
  const used = async () => {
    const [usage] = await table.usageOf([agent]);
    expect(usage?.memoryBytes).toBeGreaterThan(500_000);
    return [...(usage?.cpu.values() ?? [])].reduce((sum, ms) => sum + ms, 0);
  };
  await vi.waitUntil(async () => (await used()) > 0, { timeout: 120_000 });
  expect((await table.children()).get(process.pid)).toContain(agent.pid);
  await yard.reap(agent);
  expect((await table.usageOf([agent]))[0]).toEqual({ cpu: new Map(), memoryBytes: 0 });
  expect(table.commandOf(agent.pid)).toBeNull();
});

// Rules: law 12.
test.each([
  ['/usr/bin/bash', ['-bash'], true],
  ['/usr/bin/bash', ['bash', '-i'], true],
  ['/usr/bin/bash', ['bash', '--rcfile', '/tmp/rc'], true],
  ['/usr/bin/zsh', ['zsh', '-o', 'vi'], true],
  ['/usr/bin/bash', ['bash', 'agent.sh'], false],
  ['/usr/bin/bash', ['/bin/bash', './agent.sh', '-x'], false],
  ['/usr/bin/bash', ['bash', '-lc', 'claude'], false],
  ['/usr/bin/fish', ['fish', '--command', 'x'], false],
  ['/usr/bin/node', ['node'], false],
  [null, ['-zsh'], true],
])('law 12: %s %j on a terminal is an interactive shell: %s', (exe, argv, expected) => {
  expect(isInteractiveShell({ comm: argv[0] ?? '', argv, exe }, '/dev/pts/1')).toBe(expected);
  expect(isInteractiveShell({ comm: argv[0] ?? '', argv, exe }, null)).toBe(false);
});
