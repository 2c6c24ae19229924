/** Facts of crash safety, 1: kill -9 at every system call of filing; what was acknowledged is there, whole, and once. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { STATE } from '../../state/files/policy.ts';
import { realDisk } from '../../state/files/disk.ts';
import { Store } from '../../state/store.ts';
import { TestTown } from '../cli/town.ts';
import { CALLS, inLanes, killer, preload, type Call, type Killer, type Strike } from './strike.ts';

/** The warrants that a town started now would find; a file that does not count is an error. */
async function recovered(town: TestTown): Promise<string[]> {
  const store = new Store({
    disk: realDisk(town.root, performance.now()),
    policy: STATE,
    heardWithinMs: POLICY.dance.heardWithinMs,
    wall: () => Date.now(),
    onRefused: ({ file, why }) => {
      throw new Error(`${file} does not count: ${why}`);
    },
  });
  await store.open();
  return (await store.readRecords()).warrants.map(({ id }) => id);
}

/** Files one warrant; `id` is what was acknowledged, null = nothing. */
async function file(town: TestTown, by: Killer, strike: Strike): Promise<{ hit: boolean; id: string | null }> {
  const words = ['--root', town.root, 'warrant', 'file', 'builder', '--reason', `${strike.call} ${strike.n}`, '--json'];
  const child = by.start(words, town.env(), strike);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const [said, complaint, { code, signal }] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    ended,
  ]);
  const hit = signal === 'SIGKILL';
  if (!hit) expect([code, complaint]).toEqual([0, '']);
  return { hit, id: said === '' ? null : (JSON.parse(said) as { data: { id: string } }).data.id };
}

/** Strikes at n = 1, 2, … until a run is not hit. Returns how many points there were. */
async function enumerate(by: Killer, call: Call): Promise<number> {
  const town = new TestTown();
  town.session('builder');
  let before: string[] = [];
  for (let n = 1; ; n += 1) {
    const { hit, id } = await file(town, by, { call, n });
    const after = await recovered(town);
    const fresh = after.filter((one) => !before.includes(one));
    const what = `${by.by} ${call} ${n}: acknowledged ${id ?? 'nothing'}`;
    expect(after, what).toEqual(expect.arrayContaining(before));
    expect(fresh.length, what).toBeLessThanOrEqual(1);
    if (id !== null) expect(fresh, what).toEqual([id]);
    expect(readdirSync(join(town.root, 'quarantine')), what).toEqual([]);
    before = after;
    if (!hit) return n - 1;
  }
}

async function enumerateAll(by: Killer): Promise<number> {
  const points = new Map<Call, number>();
  await inLanes(CALLS, async (call) => {
    points.set(call, await enumerate(by, call));
  });
  const sum = [...points.values()].reduce((total, count) => total + count, 0);
  process.stdout.write(`filing a warrant, ${by.by}: N = ${sum} ${JSON.stringify(Object.fromEntries(points))}\n`);
  return sum;
}

// Rules: I-1.
test('killed at every system call, a filing loses no acknowledged warrant and tears none', async () => {
  expect(await enumerateAll(killer())).toBeGreaterThanOrEqual(13);
});

test('the same where tracing is denied: the calls are counted on their way into Node', async () => {
  expect(await enumerateAll(preload)).toBeGreaterThanOrEqual(13);
});
