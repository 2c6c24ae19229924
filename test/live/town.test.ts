/** The whole program on real tmux: nothing here knows more than a caller of the command line does. */
import { expect, test } from 'vitest';
import { killHard, MAIN, until } from '../cli/town.ts';
import type { Session, Warrant } from '../cli/views.ts';
import { liveTown, start, danceIn, processes, journal } from './hearing.ts';

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

test('kill -9 of the guard: another guard, the same town, and the agents know nothing of it', async () => {
  const town = await liveTown(['1s', '1s', '1s']);
  const agent = await start(town, 'builder', 'builder');
  const before = await town.status();
  killHard(before.guard_pid);
  const after = await town.status((now) => now.guard_pid !== null && now.guard_pid !== before.guard_pid);
  expect([after.pid, after.epoch]).toEqual([before.pid, before.epoch]);
  expect((await town.data<Session>('session', 'status', 'builder')).pid).toBe(agent.pid);
});
