/** Words that go with a number, and sentences that say what to type. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STATE } from '../../machines/policy.ts';
import { Alerts } from '../../state/alerts.ts';
import { realDisk } from '../../state/disk.ts';
import { Quarantine } from '../../state/quarantine.ts';
import { sentence } from '../../src/cli/story/sentences.ts';
import { TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => {
  town = new TestTown();
  town.session('builder');
});
afterEach(() => town.remove());

test('one of a kind is told as one, none and more as many', async () => {
  expect((await town.run('status')).stdout).toContain('0 hearings, 0 open alerts, 0 messages for you');
  expect((await town.run('dog', 'pool', 'status')).stdout).toBe('0 of 5 dogs are at work; 0 warrants wait\n');
  const disk = realDisk(town.root, 1);
  const quarantine = new Quarantine({ disk, wall: Date.now, onRefused: () => undefined });
  town.write('alerts/.keep', '');
  const alert = { episode: 'e', severity: 'high', session: null, text: 'look here' } as const;
  await new Alerts({ disk, quarantine, policy: STATE }).raise(alert, Date.now());
  town.dance('dog-1', 'builder');
  expect((await town.run('mail', 'send', 'overseer', '--subject', 'hello')).code).toBe(0);
  expect((await town.run('warrant', 'file', 'builder', '--reason', 'it loops')).code).toBe(0);
  expect((await town.run('status')).stdout).toContain('1 hearing, 1 open alert, 1 message for you');
  expect((await town.run('dog', 'pool', 'status')).stdout).toBe('1 of 5 dogs is at work; 1 warrant waits\n');
  expect((await town.run('config', 'check')).stdout).toContain('1 key is set');
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
