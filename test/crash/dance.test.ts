/**
 * Facts of crash safety, 2: kill -9 of the real town at every commit and signal of two hearings, again and again. They end
 * as they must, never after more than three questions, and no window is shortened.
 */
import { expect, test, vi } from 'vitest';
import type { Dance } from '../../machines/protocol.ts';
import { DEAF, LiveTown, READER, SHORT, until, WINDOWS_MS } from './live.ts';
import { inLanes, killer, preload, type Call, type Killer } from './strike.ts';

/** A town that dies on purpose at every waking gives no record up. */
const TOML = `${SHORT}max_wakings = 1000\n`;
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

/** Compares the records before a life of the town with those after it; counts the wakings that changed nothing else. */
function compare(before: ReadonlyMap<string, Dance>, after: ReadonlyMap<string, Dance>, what: string): number {
  let wakings = 0;
  for (const [name, now] of after) {
    expect(askedOf(now), what).toBeLessThanOrEqual(WINDOWS_MS.length);
    const then = before.get(name);
    if (then === undefined) continue;
    expect(fixed(now), what).toEqual(fixed(then));
    if (isClosed(then)) expect(now, what).toEqual(then);
    expect(now.attempt, what).toBeGreaterThanOrEqual(then.attempt);
    // The record as the next process took it up, and nothing has happened since.
    if (now.wakings !== then.wakings + 1 || now.stage !== then.stage) continue;
    expect(standing(now), what).toEqual(standing(then));
    wakings += 1;
  }
  for (const name of before.keys()) expect([...after.keys()], what).toContain(name);
  return wakings;
}

interface Chain {
  readonly points: number;
  readonly wakings: number;
}

/** Strikes each new process at n = first, first + 1, … until one brings both hearings to their end. */
async function chain(by: Killer, call: Call, first = 1): Promise<Chain> {
  await using town = new LiveTown(TOML);
  const calm = await town.up();
  await Promise.all([town.agent('deaf', DEAF), town.agent('reader', READER)]);
  expect((await town.down(calm)).code).toBe(0);
  for (const name of Object.keys(VERDICTS)) town.accuse(name);
  let wakings = 0;
  let points = 0;
  for (let n = first; ; n += 1) {
    const before = town.dances();
    const life = town.start(by, { call, n });
    await until(() => life.end() !== null || Object.keys(town.verdicts()).length === 2);
    const isDone = life.end() === null;
    if (isDone) await town.down(life);
    const what = `${by.by} ${call} ${n}: ${JSON.stringify(life.end())}`;
    if (!isDone) expect(life.end()?.signal, what).toBe('SIGKILL');
    wakings += compare(before, town.dances(), what);
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
  return { points, wakings };
}

async function chains(by: Killer, calls: readonly (readonly [Call, number])[]): Promise<Chain> {
  const done = new Map<Call, Chain>();
  await inLanes(calls, async ([call, first]) => {
    done.set(call, await chain(by, call, first));
  });
  const points = sum([...done.values()].map((one) => one.points));
  const parts = [...done].map(([call, one]) => `${call} ${one.points}`).join(', ');
  process.stdout.write(`two hearings, ${by.by}: N = ${points} (${parts})\n`);
  return { points, wakings: sum([...done.values()].map((one) => one.wakings)) };
}

// Rules: D-12, C-13, I-2.
test('killed at every commit and every signal, hearings go on where the last record stands, and end right', async () => {
  // The first calls are of the town's own start; one kind goes through most of them too.
  const { points, wakings } = await chains(killer(), [
    ['fsync', 4],
    ['rename', 8],
    ['fdatasync', 2],
    ['kill', 1],
    ['unlink', 1],
  ]);
  expect(points).toBeGreaterThanOrEqual(13);
  expect(wakings).toBeGreaterThanOrEqual(1);
});

test('the same where tracing is denied', async () => {
  const { points } = await chains(preload, [
    ['rename', 16],
    ['kill', 6],
  ]);
  expect(points).toBeGreaterThanOrEqual(2);
});
