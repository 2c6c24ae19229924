/** The whole program on real tmux: nothing here knows more than a caller of the command line does. */
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dance } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { realDisk } from '../../state/files/disk.ts';
import { readJournal, type WrittenLine } from '../../state/journal.ts';
import { exits, killHard, MAIN, TestTown, until } from '../cli/town.ts';
import type { Session, Warrant } from '../cli/views.ts';

const AGENTS = join(import.meta.dirname, '../../src/demo/agents');
const processes = createProcesses();

interface Hearing {
  readonly attempt: number;
  readonly window_ends_at: string | null;
}
/** A town that is up, with short windows, in which CPU is no sign of life (`town alive` needs some); it and all its agents are ended after the test. */
async function liveTown(windows: readonly string[], dance = ['save_every = "100ms"']): Promise<TestTown> {
  const town = new TestTown(
    [
      `[dance]\nwindows = ${JSON.stringify(windows)}\nlook_every = "100ms"\nterm_grace = "300ms"`,
      ...dance,
      '[hands]\nevidence_after = "300ms"\ncpu_above = 100000\n[sessions]\nbackoff = "300ms"\n',
    ].join('\n'),
  );
  await town.up();
  return town;
}

function readJson(town: TestTown, path: string): unknown {
  return JSON.parse(readFileSync(join(town.root, path), 'utf8'));
}

async function start(town: TestTown, name: string, program: string, ...words: string[]): Promise<Session> {
  const dir = join(town.home, name);
  mkdirSync(dir);
  exits(await town.run('session', 'start', name, '--dir', dir, '--', 'bash', join(AGENTS, program), ...words), 0, '');
  return town.data<Session>('session', 'status', name);
}

const danceIn = (town: TestTown, folder: 'active' | 'completed', id: string): Dance =>
  (readJson(town, `deacon/dogs/${folder}/${id}.json`) as { context: Dance }).context;

async function journal(town: TestTown): Promise<WrittenLine[]> {
  const lines: WrittenLine[] = [];
  for await (const line of readJournal(realDisk(town.root, 0))) lines.push(line);
  return lines;
}

test('the accused ends with all its children, answering ones live, and a neighbour by prefix is untouched', async () => {
  // Time for a command to be started in, on a machine that is busy with much else: it answers the last question too.
  const town = await liveTown(['1s', '1s', '15s']);
  const accused = await start(town, 'gt-foo', 'stubborn');
  const neighbour = await start(town, 'gt-foobar', 'deaf');
  await start(town, 'listener', 'listener');
  await start(town, 'caller', 'caller', process.execPath, MAIN, '--root', town.root);
  const warrants = await Promise.all(['gt-foo', 'listener', 'caller'].map((name) => town.accuse(name)));
  const [foo, listener, caller] = await Promise.all(warrants.map((warrant) => town.closed(warrant)));
  expect(foo).toMatchObject({ verdict: 'executed', reason: 'silent through 3 questions' });
  expect(listener).toMatchObject({ verdict: 'pardoned', reason: 'answered: code' });
  expect(caller).toMatchObject({ verdict: 'pardoned', reason: 'answered: town alive' });
  // It ignored HUP and TERM, and so did its children, one of them in a session of its own.
  const tree = danceIn(town, 'completed', foo?.dance ?? '').tree ?? [];
  expect(tree.length).toBeGreaterThan(2);
  expect(tree.map(({ pid }) => pid)).toContain(accused.pid);
  expect(tree.filter((proc) => processes.alive(proc))).toEqual([]);
  expect(await town.data<Session>('session', 'status', 'gt-foo')).toMatchObject({ state: 'ended', alive: false });
  const after = await town.data<Session>('session', 'status', 'gt-foobar');
  expect(after).toMatchObject({ state: 'running', alive: true, pid: neighbour.pid, uuid: neighbour.uuid });
});

test('kill -9 of the town within a question: same code, same attempt, no time lost, and the hearing ends right', async () => {
  const town = await liveTown(['1s', '4s', '4s']);
  await start(town, 'deaf', 'deaf');
  const warrant = await town.accuse('deaf');
  const { dance } = await until(
    () => town.data<Warrant>('warrant', 'show', warrant.id),
    (now) => now.dance !== null,
  );
  const id = dance ?? '';
  await until(
    () => danceIn(town, 'active', id),
    (now) => now.attempt === 2 && now.stage === 'interrogating.listening' && now.observedMs >= 1_000,
  );
  const { pid, guard_pid: guard, epoch } = await town.status();
  process.kill(pid, 'SIGKILL');
  const killedAt = Date.now();
  const last = danceIn(town, 'active', id);
  const asked = last.attempts[1]!;
  const back = await town.status((now) => now.ready && now.pid !== pid && now.guard_pid !== null);
  expect([back.guard_pid, back.epoch]).toEqual([guard, epoch + 1]);
  const now = danceIn(town, 'active', id);
  expect(now.attempt).toBeGreaterThanOrEqual(last.attempt);
  expect(now.attempts[1]).toMatchObject({ code: asked.code, askedAt: asked.askedAt, windowMs: 4_000 });
  expect(await town.closed(warrant)).toMatchObject({
    verdict: 'executed',
    reason: 'silent through 3 questions',
    dance: id,
  });
  const lines = (await journal(town)).filter((line) => line['dance'] === id);
  expect(lines.filter(({ kind }) => kind === 'question.typed')).toHaveLength(3);
  // The window had its whole rest after the kill; observed time cannot run faster than time.
  const over = lines.find((line) => line.kind === 'dance.evaluating' && line['attempt'] === 2);
  expect(Date.parse(over?.at ?? '') - killedAt).toBeGreaterThanOrEqual(asked.windowMs - last.observedMs - 100);
});

test('the end of a window, polled: the same from its first moment to its last, and true', async () => {
  const town = await liveTown(['9s', '9s', '9s'], ['save_every = "3s"', 'max_per_look = "1m"']);
  await start(town, 'deaf', 'deaf');
  const warrant = await town.accuse('deaf');
  const told: number[] = [];
  await until(
    async () => (await town.data<readonly Hearing[]>('dog', 'dances'))[0],
    (now) => {
      if (now?.attempt === 1 && now.window_ends_at !== null) told.push(Date.parse(now.window_ends_at));
      return now?.attempt === 2;
    },
  );
  expect((await town.run('session', 'kill', 'deaf', '--force')).code).toBe(0);
  await town.closed(warrant);
  const over = (await journal(town)).find((line) => line.kind === 'dance.evaluating' && line['attempt'] === 1);
  const end = Date.parse(over?.at ?? '');
  // A loaded machine answers seldom; two answers can differ.
  expect(told.length).toBeGreaterThan(1);
  for (const at of told) {
    expect(Math.abs(at - (told[0] ?? NaN))).toBeLessThan(1_000);
    expect(Math.abs(at - end)).toBeLessThan(1_000);
  }
});

test('kill -9 of the guard: another guard, the same town, and the agents know nothing of it', async () => {
  const town = await liveTown(['1s', '1s', '1s']);
  const agent = await start(town, 'builder', 'builder');
  const before = await town.status();
  killHard(before.guard_pid);
  const after = await town.status((now) => now.guard_pid !== null && now.guard_pid !== before.guard_pid);
  expect([after.pid, after.epoch]).toEqual([before.pid, before.epoch]);
  expect((await town.data<Session>('session', 'status', 'builder')).pid).toBe(agent.pid);
});

test('a warrant filed while the town is down is heard at its start; a file that any program drops counts too', async () => {
  const town = await liveTown(['2s', '2s', '2s']);
  await start(town, 'listener', 'listener');
  expect((await town.run('down')).code).toBe(0);
  const filed = await town.accuse('listener');
  expect(await town.data<Warrant>('warrant', 'show', filed.id)).toMatchObject({ state: 'queued' });
  await town.up();
  expect(await town.closed(filed)).toMatchObject({ verdict: 'pardoned', reason: 'answered: code' });

  const folder = join(town.root, 'deacon/dogs/warrants');
  town.write(
    'dropped.tmp',
    JSON.stringify({ id: 'dropped-1', target: 'listener', reason: 'by hand', requester: 'cron' }),
  );
  renameSync(join(town.root, 'dropped.tmp'), join(folder, 'dropped-1.json'));
  const heard = await until(
    async () => (await town.data<readonly Warrant[]>('warrant', 'list', '--all')).find(({ id }) => id === 'dropped-1'),
    (now) => now?.state === 'closed',
  );
  expect(heard).toMatchObject({ verdict: 'pardoned', reason: 'answered: code' });
});

test('an agent that dies is started again, one that ends cleanly is not; town why tells both', async () => {
  const town = await liveTown(['1s', '1s', '1s']);
  const first = await start(town, 'phoenix', 'phoenix');
  expect((await town.run('session', 'start', 'done', '--dir', town.home, '--', 'true')).code).toBe(0);
  const again = await until(
    () => town.data<Session>('session', 'status', 'phoenix'),
    ({ state, uuid }) => state === 'running' && uuid !== first.uuid,
  );
  expect([again.alive, again.pid === first.pid]).toEqual([true, false]);
  await until(async () => (await town.data<Session>('session', 'status', 'done')).state === 'ended');
  expect((await town.run('why', 'phoenix', '--all')).stdout).toContain('ended with exit code 3; starts again');
  expect((await town.run('why', 'done', '--all')).stdout).toContain('it ended with exit code 0');
});
