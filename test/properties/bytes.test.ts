/** Damaged files: with any byte wrong the store opens and nothing unverified is acted on. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { Store } from '../../state/store.ts';
import { historyOf } from '../sim/history.ts';
import { SimDisk } from '../world/disk.ts';
import { Hearings } from '../sim/hearings.ts';
import { damage, damaged } from './damage.ts';

/** Histories take processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 180_000 });

const WALL = Date.UTC(2026, 0, 3);
const ROOMS = /^(sessions|deacon\/dogs\/(active|completed|warrants))\/[^.]/;

/** The files of a town in the middle of its work. */
async function filesAt(seed: number, endsAt: number): Promise<[string, string][]> {
  const world = new Hearings({ ...historyOf(seed, 'safety'), endsAt });
  await world.run();
  return [...world.disk.files()].filter(([path]) => ROOMS.test(path));
}

async function readAll(files: readonly (readonly [string, string])[]) {
  const disk = new SimDisk({ wall: () => WALL });
  for (const [path, text] of files) disk.put(path, text);
  const refused: string[] = [];
  const store = new Store({
    disk: disk.mount(),
    policy: STATE,
    heardWithinMs: 86_400_000,
    wall: () => WALL,
    onRefused: ({ file }) => refused.push(file),
  });
  await store.open();
  const sessions = await store.readSessions();
  const { dances, heard } = await store.readRecords();
  await store.readWarrants();
  const warrants = await store.readWarrants(); // a file that looks cut gets a second chance
  const values = [...sessions, ...dances, ...warrants, ...heard].map((value) => JSON.stringify(value));
  return { values: new Set(values), refused, left: new Set(disk.files().values()) };
}

// Rules: I-15.
test('15: a record flipped, cut, emptied or doubled anywhere, or of a later version: it starts, says so, believes nothing of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000), fc.nat(60_000), fc.nat(100), damage, async (seed, endsAt, nth, how) => {
      const files = await filesAt(seed, endsAt);
      const whole = await readAll(files);
      const victim = files[nth % files.length];
      if (victim === undefined) return;
      const [path, text] = victim;
      const isSealed = text.includes('"sum":');
      const bad = damaged(text, how);
      if (bad === text || !isSealed) return;
      const after = await readAll(files.map(([p, t]) => [p, p === path ? bad : t] as const));
      // As if the file were not there: a warrant whose dance cannot be read is heard anew, and where a kill came between the
      // two places of a dance, the older one goes on, from a look.
      const without = await readAll(files.filter(([p]) => p !== path));
      const believed = new Set([...whole.values, ...without.values]);
      for (const value of after.values) expect(believed, `${path} was believed: ${bad}`).toContain(value);
      // A warrant may lose its sum to a flipped byte and still say what it said, as any program's warrant may.
      if (after.refused.includes(path)) expect([...after.left], 'a damaged file is kept').toContain(bad);
      else expect(after.values).toEqual(whole.values);
    }),
    { numRuns: 120 },
  );
});
