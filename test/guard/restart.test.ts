/** `town restart` is carried out by the new guard: however the command itself ends, a town runs afterwards. */
import { spawn } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { PROCESS } from '../../src/ports/policy.ts';
import { guardOrders } from '../../src/guard/launch.ts';
import { parseOrders } from '../../src/guard/orders.ts';
import { startTown } from '../../src/guard/start.ts';
import { MAIN, until } from '../cli/town.ts';
import { townWith } from './on-server.ts';
import { isAlive, newYard, WAIT, type Yard } from './yard.ts';

const anew = ({ settings, command }: Yard) => startTown(settings, { command, anew: true });

// Rules: C-12.
test('a restart ends town and guard, and the new ones run', async () => {
  const yard = newYard();
  const first = await yard.up();
  const now = await anew(yard);
  expect(now).toMatchObject({ epoch: first.epoch + 1, alreadyRunning: false });
  expect([first.pid, first.guardPid!].filter(isAlive)).toEqual([]);
  expect(yard.guardLog()).not.toContain('the town fell');
  expect(await yard.status()).toMatchObject({ pid: now.pid, guard_pid: now.guardPid });
});

// Rules: C-12, law 9.
test.each(['SIGKILL', 'SIGHUP', 'SIGINT'] as const)('%s of the command between the two halves', async (signal) => {
  const town = await townWith().up();
  const { epoch, pid, guard_pid: guard } = await town.status();
  const command = spawn(process.execPath, [MAIN, '--root', town.root, 'restart'], { env: town.env(), stdio: 'ignore' });
  await until(() => !isAlive(guard!));
  command.kill(signal);
  await vi.waitFor(async () => expect(await town.status()).toMatchObject({ running: true, epoch: epoch + 1 }), WAIT);
  expect(isAlive(pid)).toBe(false);
});

// Rules: C-12.
test('a town that hangs is replaced by force', async () => {
  const yard = newYard({ downMs: 1_000 });
  const first = await yard.up();
  process.kill(first.pid, 'SIGSTOP');
  process.kill(first.guardPid!, 'SIGSTOP');
  expect(await anew(yard)).toMatchObject({ epoch: first.epoch + 1 });
  expect([first.pid, first.guardPid!].filter(isAlive)).toEqual([]);
});

// Rules: C-13.
test('two restarts at once leave one town, and `down` ends it', async () => {
  const yard = newYard({ downMs: PROCESS.downMs });
  const first = await yard.up();
  const [one, other] = await Promise.all([anew(yard), anew(yard)]);
  expect(one.epoch).toBeGreaterThan(first.epoch);
  expect(isAlive(first.pid)).toBe(false);
  expect([one.pid, other.pid]).toContain((await yard.status())?.pid);
});

// Rules: law 9.
test('a guard whose orders an earlier version wrote, which names no predecessors, takes the place of none', () => {
  const { instead, ...earlier } = guardOrders(newYard().settings, ['town'], null, { town: null, guard: null });
  expect(parseOrders(JSON.stringify(earlier)).instead).toEqual(instead);
});
