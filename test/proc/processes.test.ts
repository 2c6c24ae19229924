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
import { Yard, here, lifeOf, table, until } from './yard.ts';

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

test('a process cannot run: stopped, or waiting for a disk; no other life and no one that is gone', async () => {
  const agent = await yard.bash('touch $READY; sleep 60');
  expect(table.cannotRun(agent)).toBe(false);
  process.kill(agent.pid, 'SIGSTOP');
  await until(() => table.cannotRun(agent), 'stopped');
  expect(table.cannotRun({ ...agent, started: 'another' })).toBe(false);
  process.kill(agent.pid, 'SIGCONT');
  await until(() => !table.cannotRun(agent), 'continued');
  const stat = readFileSync(`/proc/${agent.pid}/stat`, 'utf8');
  const inState = (state: string) => parseStat(stat.replace(/\) \S /, `) ${state} `)).cannotRun;
  expect(['R', 'S', 'T', 't', 'D', 'I', 'Z'].map(inState)).toEqual([
    null,
    null,
    'stopped',
    'stopped',
    'disk',
    null,
    null,
  ]);
  process.kill(agent.pid, 'SIGKILL');
  await yard.reap(agent);
  expect(table.cannotRun(agent)).toBe(false);
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
