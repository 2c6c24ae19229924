/**
 * Facts of crash safety, 2: kill -9 of the real town at every commit and signal of two hearings, again and again. They end
 * as they must, never after more than three questions, and no window is shortened.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Dance } from '../../machines/protocol.ts';
import { DEAF, LiveTown, READER, SHORT, until, WINDOWS_MS } from './live.ts';
import { DURABLE, inLanes, mayTrace, preload, tracer, type Call } from './strike.ts';

/** A town that dies on purpose at every waking gives no record up. */
const TOML = `${SHORT}max_recoveries = 1000\n`;
/** A hundred lives of a town: on a busy machine each takes seconds. */
vi.setConfig({ testTimeout: 900_000 });
const VERDICTS = { deaf: 'executed', reader: 'pardoned' } as const;
const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** What a crash may not change. */
const fixed = ({ id, target, attempts }: Dance): object => ({
  id,
  target,
  questions: attempts.map(({ code, windowMs, question }) => ({ code, windowMs, question })),
});
const askedOf = ({ attempts }: Dance): number => attempts.filter(({ askedAt }) => askedAt !== null).length;
/** Attempt, code of its question, when it was asked, and the time that is left. */
const standing = ({ attempt, attempts, observedMs }: Dance): object => {
  const { code, windowMs, askedAt } = attempts[attempt - 1] ?? { code: '', windowMs: 0, askedAt: null };
  return { attempt, code, askedAt, leftMs: windowMs - observedMs };
};
const isClosed = ({ stage }: Dance): boolean => stage === 'closed';

/** Compares the records before a life of the town with those after it; counts the recoveries that changed nothing else. */
function compare(before: ReadonlyMap<string, Dance>, after: ReadonlyMap<string, Dance>, what: string): number {
  let recoveries = 0;
  for (const [name, now] of after) {
    expect(askedOf(now), what).toBeLessThanOrEqual(WINDOWS_MS.length);
    const then = before.get(name);
    if (then === undefined) continue;
    expect(fixed(now), what).toEqual(fixed(then));
    if (isClosed(then)) expect(now, what).toEqual(then);
    expect(now.attempt, what).toBeGreaterThanOrEqual(then.attempt);
    // The record as the next process took it up, and nothing has happened since.
    if (now.recoveries !== then.recoveries + 1 || now.stage !== then.stage) continue;
    expect(standing(now), what).toEqual(standing(then));
    recoveries += 1;
  }
  for (const name of before.keys()) expect([...after.keys()], what).toContain(name);
  return recoveries;
}

interface Chain {
  readonly points: number;
  readonly recoveries: number;
}

/** Strikes each new process before its call n = first, first + 1, … until one brings both hearings to their end. */
async function chain(call: Call, first: number): Promise<Chain> {
  await using town = new LiveTown(TOML);
  const calm = await town.up();
  await Promise.all([town.agent('deaf', DEAF), town.agent('reader', READER)]);
  expect((await town.down(calm)).code).toBe(0);
  for (const name of Object.keys(VERDICTS)) town.accuse(name);
  let recoveries = 0;
  let points = 0;
  for (let n = first; ; n += 1) {
    const before = town.dances();
    const life = town.start(preload, { call, n: 2 * n - 1 });
    await until(() => life.end() !== null || Object.keys(town.verdicts()).length === 2);
    const isDone = life.end() === null;
    if (isDone) await town.down(life);
    const what = `${call} ${n}: ${JSON.stringify(life.end())}`;
    if (!isDone) expect(life.end()?.signal, what).toBe('SIGKILL');
    recoveries += compare(before, town.dances(), what);
    points += Number(!isDone);
    if (isDone) break;
  }
  expect(town.verdicts(), call).toEqual(VERDICTS);
  const deaf = town.dances().get('deaf');
  expect(deaf && askedOf(deaf)).toBe(WINDOWS_MS.length);
  expect((deaf?.closedAt ?? 0) - (deaf?.openedAt ?? 0)).toBeGreaterThanOrEqual(sum(WINDOWS_MS));
  expect(deaf?.survivors).toEqual([]);
  // Temporary files of the dead are swept when they are old.
  expect(town.cli.names('deacon/dogs/warrants').filter((name) => !name.startsWith('.'))).toEqual([]);
  expect(town.cli.names('quarantine')).toEqual([]);
  return { points, recoveries };
}

// Rules: D-12, C-13, I-2.
test('killed at every commit and every signal, hearings go on where the last record stands, and end right', async () => {
  const done = new Map<Call, Chain>();
  // The first calls are of the town's own start; one kind goes through most of them too.
  const first = { fsync: 4, rename: 8, fdatasync: 2, kill: 1, unlink: 1 } as const;
  await inLanes(DURABLE, async (call) => {
    done.set(call, await chain(call, first[call]));
  });
  const points = sum([...done.values()].map((one) => one.points));
  const parts = [...done].map(([call, one]) => `${call} ${one.points}`).join(', ');
  process.stdout.write(`two hearings: N = ${points} (${parts})\n`);
  expect(points).toBeGreaterThanOrEqual(40);
  expect(sum([...done.values()].map((one) => one.recoveries))).toBeGreaterThanOrEqual(1);
});

/** How many calls of a kind a trace shows. Files are written by other threads than the main one, but for SQLite's; the log is no record. */
function tracedIn(trace: string, call: Call, main: number): number {
  const isOfMain = (line: string): boolean => line.startsWith(`${main} `);
  return trace
    .split('\n')
    .filter((line) => line.includes(` ${call}(`) && !line.includes('/daemon.log>'))
    .filter((line) => isOfMain(line) === (call === 'kill')).length;
}

test.runIf(mayTrace())('what is counted inside is what the kernel sees, in all threads', async () => {
  await using town = new LiveTown(SHORT);
  const [counts, trace] = [join(town.cli.home, 'counts'), join(town.cli.home, 'trace')];
  const life = await town.up(tracer(counts, trace));
  await Promise.all([town.agent('deaf', DEAF), town.agent('reader', READER)]);
  for (const name of Object.keys(VERDICTS)) town.accuse(name);
  await until(() => Object.keys(town.verdicts()).length === 2);
  expect((await town.down(life)).code).toBe(0);
  const counted = JSON.parse(readFileSync(counts, 'utf8')) as Record<Call, number>;
  const seen = readFileSync(trace, 'utf8');
  for (const call of DURABLE) expect([call, counted[call]]).toEqual([call, tracedIn(seen, call, life.child.pid ?? 0)]);
  expect(Math.min(...DURABLE.map((call) => counted[call]))).toBeGreaterThanOrEqual(5);
});
