/** `town service` as a person types it, and its unit before systemd's own check. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isUnfit, quote, unitText } from '../../../src/service/unit.ts';
import { TestTown } from '../../cli/town.ts';
import { tempFolder } from '../../world/over.ts';

/** What systemd says of a unit; empty = it is right. */
function verified(folder: string, text: string): string {
  const file = join(folder, 'town.service');
  writeFileSync(file, text);
  const { stdout, stderr, status } = spawnSync('systemd-analyze', ['--user', '--man=no', 'verify', file], {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_RUNTIME_DIR: folder, SYSTEMD_LOG_LEVEL: 'warning' },
    encoding: 'utf8',
  });
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('town.service'));
  return `${about.join('\n')}${status === 0 ? '' : `exit ${status}`}`;
}

test('the unit is right by systemd’s own check, and a wrong one is found', async () => {
  const town = new TestTown();
  const { code, stdout, stderr } = await town.run('service', 'install', '--dry-run');
  expect(code).toBe(0);
  expect(stderr).toContain('nothing was written');
  expect(existsSync(join(town.home, '.config'))).toBe(false);
  expect(stdout).toContain(`"--root" "${town.root}" "daemon" "run"\n`);
  expect(stdout).toContain(`Environment="PATH=${process.env['PATH'] ?? ''}"\n`);
  const lines = 'Type=notify NotifyAccess=all WatchdogSec=120 KillMode=process OOMPolicy=continue Restart=on-failure';
  for (const line of lines.split(' ')) expect(stdout.split('\n')).toContain(line);
  expect(verified(town.home, stdout)).toBe('');
  expect(verified(town.home, stdout.replace('Type=notify', 'Type=nothing'))).toContain('Failed to parse service type');
});

test('a program with any signs in its path is the program that systemd finds', () => {
  const folder = tempFolder('town-unit');
  for (const name of ['a b', '100%', '%h', '$HOME', '${PATH}', 'é ü', ':@-+!', '*?[a]', '#;']) {
    const dir = join(folder, name);
    mkdirSync(dir);
    const program = join(dir, 'node');
    symlinkSync('/bin/true', program);
    const service = { name: 'x', root: dir, command: [program, name], environment: { PATH: `/bin:${dir}` } };
    expect([name, verified(folder, unitText(service))]).toEqual([name, '']);
    // Its check is no empty one: a path that is quoted wrongly is not there.
    expect(verified(folder, unitText({ ...service, command: [`${program}-none`] }))).toContain('not executable');
  }
});

test('a program whose path systemd starts in no way is known', () => {
  const folder = tempFolder('town-unit');
  for (const name of ['a"b', "it's", 'a\\b', 'tab\there']) {
    const dir = join(folder, name);
    mkdirSync(dir);
    symlinkSync('/bin/true', join(dir, 'node'));
    const service = { name: 'x', root: '/', command: [join(dir, 'node')], environment: {} };
    expect([name, verified(folder, unitText(service)) !== '', isUnfit(join(dir, 'node'))]).toEqual([name, true, true]);
  }
  expect(isUnfit('/usr/bin/é %$ node')).toBe(false);
});

test('a word is quoted by systemd’s rules', () => {
  expect(['a', 'a b', '"', '\\', '%i', '$X', '\n', '\u0001'].map(quote)).toEqual([
    '"a"',
    '"a b"',
    '"\\""',
    '"\\\\"',
    '"%%i"',
    '"$X"',
    '"\\n"',
    '"\\x01"',
  ]);
});

// Its environment has no way to a user manager of the machine: a real one is never changed by this.
test('without a user manager of systemd one sentence says what to do, and nothing is written', async () => {
  const town = new TestTown();
  const { code, stdout, stderr } = await town.run('service', 'install');
  expect([code, stdout]).toEqual([1, '']);
  const init = /no systemd runs this machine, but .*; have that program run: .* daemon run/;
  const silent = /the user manager of systemd does not answer \(.*\); log in as this user, or type: export /;
  expect(stderr.trim()).toMatch(new RegExp(`^town: (?:${init.source}|${silent.source})[^\n]*$`));
  expect(existsSync(join(town.home, '.config'))).toBe(false);
  const status = await town.run('service', 'status');
  expect([status.code, status.stdout.includes('is not there; town service install')]).toEqual([1, true]);
  const gone = await town.run('service', 'uninstall');
  expect([gone.code, gone.stdout.startsWith('no service starts the town')]).toEqual([0, true]);
});

test('a unit that is there is compared with the one of now, and goes', async () => {
  const town = new TestTown();
  const { file, text } = await town.data<{ file: string; text: string }>('service', 'install', '--dry-run');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  expect(await town.data('service', 'status')).toMatchObject({ installed: true, current: true });
  writeFileSync(file, text.replace('WatchdogSec=120', 'WatchdogSec=9'));
  const status = await town.run('service', 'status');
  expect([status.code, status.stdout.includes('town service install')]).toEqual([0, true]);
  expect((await town.run('service', 'uninstall', '--dry-run')).stdout).toContain('would be switched off and removed');
  expect(existsSync(file)).toBe(true);
  expect((await town.run('service', 'uninstall')).code).toBe(0);
  expect(existsSync(file)).toBe(false);
});
