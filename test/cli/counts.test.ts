/** Words that go with a number, and sentences that say what to type. */
import { beforeEach, expect, test } from 'vitest';
import { realDisk } from '../../state/files/disk.ts';
import { sentence } from '../../src/journal/lines.ts';
import { episode, putAlerts } from '../state/make.ts';
import { TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => {
  town = new TestTown();
  town.session('builder');
});

test('one of a kind is told as one, none and more as many', async () => {
  expect((await town.run('status')).stdout).toContain('0 hearings, 0 open alerts, 0 messages for you');
  expect((await town.run('dog', 'pool', 'status')).stdout).toBe('0 of 5 dogs are at work; 0 warrants wait\n');
  town.write('alerts/.keep', '');
  await putAlerts(realDisk(town.root, 1), episode('disk', { severity: 'high' }));
  town.dance('dog-1', 'builder');
  expect((await town.run('mail', 'send', 'overseer', '--subject', 'hello')).code).toBe(0);
  expect((await town.run('warrant', 'file', 'builder', '--reason', 'it loops')).code).toBe(0);
  expect((await town.run('status')).stdout).toContain('1 hearing, 1 open alert, 1 message for you');
  expect((await town.run('dog', 'pool', 'status')).stdout).toBe('1 of 5 dogs is at work; 1 warrant waits\n');
  expect((await town.run('config', 'check')).stdout).toContain('1 key is set');
});

test('status begins with a sentence; of many alerts three stand there, the gravest first, and of mail the number', async () => {
  town.write('alerts/.keep', '');
  const alerts = Array.from({ length: 100 }, (_, n) => {
    const severity = n === 50 ? 'critical' : n % 2 === 0 ? 'low' : 'medium';
    return episode(`needs-input/e${n}`, { severity, text: `look at ${n}`, since: Date.now() - n * 60_000 });
  });
  await putAlerts(realDisk(town.root, 1), ...alerts);
  town.dance('dog-1', 'builder');
  await town.run('mail', 'send', 'overseer', '--subject', 'which database?');
  const { stdout } = await town.run('status');
  expect(stdout).toMatch(/^down .*\n {2}1 session is heard\n/);
  expect(stdout.match(/^ {2}\? .*$/gm)).toEqual([
    '  ? critical: look at 50',
    '  ? medium: look at 1',
    '  ? medium: look at 3',
  ]);
  expect(stdout).toMatch(/\n {2}\? critical: look at 50\n {6}town .*\n/);
  // The message asks too.
  expect(stdout).toContain('\n    … 98 more: `town questions`\n');
  expect(stdout).toContain('1 message for you (`town mail inbox`)');
  expect(stdout).not.toContain('which database?');
  expect(stdout).toMatch(/^builder +heard .* question 2 of 2\b/m);
  expect(await town.data<{ alerts: unknown[] }>('status')).toMatchObject({ mail: [{ subject: 'which database?' }] });
});

test('more hearings than a smaller pool has dogs wait for one, and who is ended by force takes none', async () => {
  const small = new TestTown('[dance]\npool_size = 1\n');
  for (const n of [1, 2, 3]) small.dance(`dog-${n}`, 'builder');
  const { warrants, ...forced } = small.dance('dog-4', 'builder');
  small.dance('dog-4', 'builder', { ...forced, warrants: warrants.map((w) => ({ ...w, force: true })) });
  const told = '1 of 1 dogs is at work; 2 hearings wait for one; 0 warrants wait\n';
  expect((await small.run('dog', 'pool', 'status')).stdout).toBe(told);
  expect((await small.run('boot', 'status')).stdout).toContain(told);
  const pool = { size: 1, busy: 1, waiting: 2, queued: 0 };
  expect(await small.data('dog', 'pool', 'status')).toMatchObject(pool);
  expect(await small.data('boot', 'status')).toMatchObject({ pool });
});

test('keys of entries and of named tables are set like any other', async () => {
  const tables =
    '[[agents]]\nname = "a"\ncommand = ["x"]\n[[agents]]\nname = "b"\ncommand = "x"\ntags = []\n[rig.shop]\n';
  const more = new TestTown(tables);
  expect((await more.run('config', 'check')).stdout).toContain('6 keys are set');
  more.write('town.toml', '[[agents]]\nname = "a"\ncommand = "x"\n');
  expect((await more.run('config', 'check')).stdout).toContain('2 keys are set');
});

test('a message that is not there is missed with the command that shows those that are', async () => {
  expect((await town.run('mail', 'read', 'm-1')).stderr).toMatch(/no message .*m-1.* see `town mail inbox --all`/);
  expect((await town.run('mail', 'read', 'm-1', '--for', 'builder')).stderr).toMatch(
    /`town mail inbox --for \S+ --all`/,
  );
});

test('the command of a start is no verdict about it', () => {
  const line = { at: '', kind: 'start.ordered', command: ['false'] };
  expect(sentence(line)).toBe('its start was ordered, with the command `false`');
});
