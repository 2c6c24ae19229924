/** `daemon run` in a unit of a person's own (Type=notify): ready, alive, stopping; agents hear nothing of it. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MAIN, TestTown } from '../cli/town.ts';

const WAIT = { timeout: 120_000, interval: 50 };

test('systemd is told of the start, of progress and of the end, by the pid that runs', async () => {
  const town = new TestTown();
  const bin = join(town.home, 'bin');
  const heard = join(town.home, 'heard');
  mkdirSync(bin);
  // What the real one is given; it would send it to the socket as a datagram, in the name of that pid.
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${heard}'\n`, { mode: 0o755 });
  const env = {
    ...town.env({ NOTIFY_SOCKET: '/run/no-manager', WATCHDOG_USEC: '900000' }),
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  };
  const child = spawn(process.execPath, [MAIN, '--root', town.root, 'daemon', 'run'], { env, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = (): string[] => readFileSync(heard, 'utf8').trim().split('\n');
  const told = (word: string): string => `/run/no-manager --pid=${String(child.pid)} ${word}`;
  await vi.waitFor(() => expect(lines()).toContain(told('READY=1')), WAIT);
  await vi.waitFor(() => expect(lines().filter((line) => line === told('WATCHDOG=1')).length).toBeGreaterThan(2), WAIT);
  expect(lines()).not.toContain(told('STOPPING=1'));
  expect(lines().filter((line) => line === told('READY=1'))).toHaveLength(1);

  const start = [
    'session',
    'start',
    'agent',
    '--dir',
    town.home,
    '--',
    'sh',
    '-c',
    'env > env.tmp; mv env.tmp env; cat',
  ];
  expect((await town.run(...start)).code).toBe(0);
  const inherited = await vi.waitFor(() => readFileSync(join(town.home, 'env'), 'utf8'), WAIT);
  expect(inherited).toContain('TOWN_SESSION=agent');
  expect(inherited).not.toMatch(/^(NOTIFY_SOCKET|WATCHDOG_)/m);

  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  await vi.waitFor(() => expect(lines()).toContain(told('STOPPING=1')), WAIT);
});
