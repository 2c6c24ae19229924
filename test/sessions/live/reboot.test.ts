/**
 * The machine started anew while a town was up: each pid in its files is another process now, which began at the same tick of
 * another boot. None of them is signalled, and the town comes up as after any other death of all.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linuxSource } from '../../../src/proc/linux.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { killHard, TestTown, until } from '../../cli/town.ts';
import { town as over } from '../../tmux/over.ts';
import { whenOver } from '../../world/over.ts';

const EARLIER = randomUUID();
const now = createProcesses();
const before = createProcesses({ source: linuxSource('/proc', EARLIER) });

/** A process that has nothing to do with a town. */
function stranger(): ChildProcess & { readonly pid: number } {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
  whenOver(() => child.kill('SIGKILL'));
  return child as ChildProcess & { readonly pid: number };
}

test('a process of an earlier boot is gone, and its pid is not signalled', () => {
  const { pid } = stranger();
  const past = before.proc(pid)!;
  expect(past).toEqual({ pid, started: now.proc(pid)!.started.replace(/@.*/, `@${EARLIER}`) });
  expect(now.alive(past)).toBe(false);
  expect(now.signal(past, 'KILL')).toBe(false);
  expect(now.alive(now.proc(pid)!)).toBe(true);
});

test('on a server with the same ids and pids the sessions of an earlier boot are gone, and none is taken for one', async () => {
  const made = await over();
  const life = await made.begin({});
  const past = { ...life, agent: before.proc(life.agent.pid)!, server: before.proc(life.server.pid)!, uuid: 'past' };
  expect(await made.scan(past)).toMatchObject({ server: 'gone', seen: [{ exit: { kind: 'unknown' } }] });
  expect((await made.scan(past)).seen).not.toMatchObject([{ life: 'alive' }]);
  await made.clear(past, false, true);
  expect((await made.scan(life)).seen).toMatchObject([{ life: 'alive' }]);
});

/** Every process that stands in a file, as `other` of the earlier boot. */
function moved(value: unknown, other: number): unknown {
  if (Array.isArray(value)) return value.map((one) => moved(one, other));
  if (typeof value !== 'object' || value === null) return value;
  const { started, ...rest } = before.proc(other)!;
  const [start_time, boot_id] = started.split('@');
  const fields = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, moved(one, other)]));
  // The sum of a file that was changed does not fit.
  delete fields['sum'];
  if ('pid' in value && 'started' in value) return { ...fields, ...rest, started };
  return 'pid' in value && 'boot_id' in value ? { ...fields, ...rest, start_time, boot_id } : fields;
}

function moveFiles(folder: string, other: number): number {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + moveFiles(path, other);
    if (!entry.isFile() || !/\.(json|pid)$/.test(entry.name)) return sum;
    const text = readFileSync(path, 'utf8');
    const changed = JSON.stringify(moved(JSON.parse(text), other));
    if (changed.includes(EARLIER)) writeFileSync(path, `${changed}\n`);
    return sum + (changed.includes(EARLIER) ? 1 : 0);
  }, 0);
}

// Rules: C-6.
test('a town comes up after it, starts its agents anew, and ends no process that has a pid of its files', async () => {
  const town = await new TestTown('[sessions]\nbackoff = "100ms"\nscan_every = "200ms"\n').up();
  await town.agent('one', ['sleep', '1000'], '--restart', 'permanent');
  await town.agent('two', ['sleep', '1000'], '--restart', 'permanent');
  await town.accuse('two');
  await until(() => town.names('deacon/dogs/active').length > 0);
  const lives = ['one', 'two'].map((name) => town.life(name)!);
  const { guard_pid: guard, pid } = await town.status();
  for (const one of [guard, pid, lives[0]?.server.pid]) killHard(one ?? undefined);
  await until(() =>
    [guard, pid, ...lives.map(({ agent }) => agent.pid)].every((one) => one === null || now.proc(one) === null),
  );
  const other = stranger();
  const moved = moveFiles(town.root, other.pid);
  // Guard, town, two sessions and a hearing.
  expect(moved).toBeGreaterThanOrEqual(5);

  await town.up();
  for (const { session, uuid } of lives)
    await until(
      () => town.life(session),
      (life) => life !== null && life.uuid !== uuid,
    );
  await until(() => town.names('deacon/dogs/active').length === 0);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  expect(now.proc(other.pid)).not.toBeNull();
  expect(town.names('quarantine')).toEqual([]);
});
