/**
 * A town and a program that files warrants, on one disk, crashed at any effect, again and again. The oracle knows only what
 * was acknowledged: acknowledged <= recovered <= acknowledged + 1, nothing torn, no dance in no place, no warrant lost.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dance, SavedRecord, Warrant } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import { readJournal } from '../../state/journal.ts';
import { paths } from '../../state/files/layout.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import type { Store } from '../../state/store.ts';
import { SimDisk } from '../world/disk.ts';
import { closed, dance, life, loose, NOW, open, saved, savedSession, session, sessionSheet } from './make.ts';

const ACTS = ['file', 'open', 'update', 'close', 'session', 'both', 'read'] as const;
type Act = (typeof ACTS)[number];
const MODES = ['lost', 'kept', 'mixed'] as const;
type Mode = (typeof MODES)[number];

/** What a version of a thing was when it was acknowledged, and what may be there besides. */
interface Told {
  acknowledged: number;
  /** Versions that were tried since; a try that failed may have got through. */
  tries: number[];
}

class Town {
  readonly sim = new SimDisk({ wall: () => NOW });
  readonly dances = new Map<string, Told & { value: Dance }>();
  readonly session: Told = { acknowledged: 0, tries: [] };
  readonly filed = new Set<string>();
  lines = 0;
  #store!: Store;
  #cli!: Disk;
  #serial = 0;

  async start(): Promise<void> {
    const { store, refused } = await open(this.sim.mount());
    this.#cli = this.sim.mount();
    this.#store = store;
    const { dances, warrants, heard } = await store.readRecords();
    expect(refused, 'nothing is torn').toEqual([]);
    const seen = new Map<string, number>(dances.map(({ id, observedMs }) => [id, observedMs]));
    const finished = new Set(heard.map(({ uuid }) => uuid));
    for (const [id, told] of this.dances) {
      const isClosed = finished.has(told.value.target.uuid);
      const version = seen.get(id) ?? (isClosed ? told.value.observedMs : undefined);
      expect(seen.has(id) && isClosed, `${id} is in one place`).toBe(false);
      if (version === undefined) {
        expect(told.acknowledged, `${id} is somewhere`).toBe(0);
        this.dances.delete(id);
        continue;
      }
      expect([told.acknowledged, ...told.tries], `${id} is as acknowledged, or one further`).toContain(version);
      if (isClosed) told.value = closed(id, { ...told.value, stage: 'closed', verdict: 'executed', closedAt: NOW });
      told.acknowledged = version;
      told.tries = [];
      told.value = { ...told.value, observedMs: version };
    }
    const held = new Set([...this.dances.values()].flatMap(({ value }) => value.warrants.map(({ id }) => id)));
    const pending = warrants.map(({ id }) => id);
    for (const id of this.filed) expect([...held, ...pending], 'a warrant that was acknowledged').toContain(id);
    expect(pending.filter((id) => held.has(id))).toEqual([]);
    const restarts = (await store.session('gt-nux'))?.restarts ?? 0;
    expect([this.session.acknowledged, ...this.session.tries]).toContain(restarts);
    this.session.acknowledged = restarts;
    this.session.tries = [];
    const written = new Set<unknown>();
    for await (const { n } of readJournal(this.sim.mount())) written.add(n);
    for (let n = 1; n <= this.lines; n += 1) expect(written, 'journal').toContain(n);
    this.lines = Math.max(this.lines, ...([...written] as number[]), 0);
  }

  async act(act: Act): Promise<void> {
    this.#serial += 1;
    if (act === 'file') await this.#file();
    else if (act === 'read') await this.#store.readWarrants();
    else if (act === 'open') await this.#commit(await this.#opening());
    else if (act === 'session') await this.#commit([this.#nextSession()]);
    else if (act === 'both') await this.#commit([...this.#changed('update'), this.#nextSession()]);
    else await this.#commit(this.#changed(act));
  }

  async #file(): Promise<void> {
    const id = `w-${this.#serial}`;
    await writeFiles(this.#cli, [{ path: paths.warrant(id), text: loose(id) }]);
    this.filed.add(id);
  }

  async #opening(): Promise<SavedRecord[]> {
    const pending: Warrant[] = await this.#store.readWarrants();
    if (pending.length === 0) return [];
    const id = `dog-${1_000 + this.#serial}`;
    const value = dance(id, { warrants: pending.slice(0, 2), target: life('gt-nux', id), observedMs: this.#serial });
    this.dances.set(id, { acknowledged: 0, tries: [value.observedMs], value });
    return [saved(value)];
  }

  #changed(act: 'update' | 'close'): SavedRecord[] {
    const told = [...this.dances.values()].find(({ value }) => value.stage !== 'closed');
    if (told === undefined) return [];
    const value = { ...told.value, observedMs: this.#serial };
    told.tries.push(this.#serial);
    // Until it is acknowledged the oracle takes it for the version that is under way.
    told.value = value;
    return [
      saved(
        act === 'update' ? value : closed(value.id, { ...value, stage: 'closed', verdict: 'executed', closedAt: NOW }),
      ),
    ];
  }

  #nextSession(): SavedRecord {
    this.session.tries.push(this.#serial);
    return savedSession(session('gt-nux', { restarts: this.#serial }));
  }

  async #commit(records: SavedRecord[]): Promise<void> {
    const n = this.lines + 1;
    await this.#store.commit(records, [{ at: NOW, kind: 'test.happened', n }]);
    this.lines = n;
    for (const record of records) {
      if (record.kind === 'session') this.#acknowledge(this.session);
      else if (record.kind === 'dance') {
        const told = this.dances.get(record.id)!;
        this.#acknowledge(told);
        told.value = record.value;
      }
    }
  }
  #acknowledge(told: Told): void {
    told.acknowledged = told.tries.at(-1) ?? told.acknowledged;
    told.tries = [];
  }
}

function losing(mode: Mode, seed: number): (path: string) => boolean {
  let state = seed | 1;
  return () => {
    if (mode !== 'mixed') return mode === 'lost';
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state & 0x10000) !== 0;
  };
}

/** Runs acts until the effect number `point`, then crashes. True = it crashed. */
async function runUntil(
  town: Town,
  acts: readonly Act[],
  point: number,
  lost: (path: string) => boolean,
): Promise<boolean> {
  let left = point;
  let over = false;
  const crashed = new Promise<true>((resolve) => {
    town.sim.burn = () => {
      left -= 1;
      if (left > 0 || over) return;
      resolve(true);
      throw new Error('the power goes');
    };
  });
  const done = (async () => {
    for (const act of acts) await town.act(act);
    return false;
  })();
  const hit = await Promise.race([done, crashed]);
  over = true;
  town.sim.burn = undefined;
  town.sim.crash(lost);
  return hit;
}

async function begun(): Promise<Town> {
  const town = new Town();
  town.sim.put(...sessionSheet());
  town.session.acknowledged = 1;
  await town.start();
  return town;
}

describe('after a crash', () => {
  test.each(MODES)('at every single effect of one life of a town (%s)', async (mode) => {
    const acts: Act[] = [
      'file',
      'file',
      'read',
      'open',
      'file',
      'update',
      'both',
      'close',
      'open',
      'session',
      'close',
      'read',
    ];
    let points = 0;
    for (let hit = true; hit;) {
      points += 1;
      const town = await begun();
      hit = await runUntil(town, acts, points, losing(mode, points));
      await town.start();
    }
    expect(points).toBeGreaterThan(100);
  });

  test('at any effects of any history, everything acknowledged is there, whole, in one place', async () => {
    const life = fc.record({
      acts: fc.array(fc.constantFrom(...ACTS), { minLength: 1, maxLength: 25 }),
      point: fc.integer({ min: 1, max: 150 }),
      mode: fc.constantFrom(...MODES),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
        const town = await begun();
        for (const { acts, point, mode, seed } of lives) {
          await runUntil(town, acts, point, losing(mode, seed));
          await town.start();
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('errors of the disk at any operation lose nothing that was acknowledged, and the town goes on when they stop', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ACTS), { minLength: 3, maxLength: 25 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }),
        fc.constantFrom('ENOSPC', 'EIO', 'EROFS'),
        fc.constantFrom(...MODES),
        async (acts, failing, code, mode) => {
          const town = await begun();
          const first = town.sim.operations;
          const at = new Set(failing.map((n) => first + n));
          const refusing = Object.assign(new Error(code), { code });
          // Readings that fail are a matter of their own: here the disk cannot be written.
          town.sim.fault = (operation, _, nth) =>
            at.has(nth) && !['list', 'read', 'stat'].includes(operation) ? refusing : undefined;
          for (const act of acts) await town.act(act).catch((error: unknown) => expect(error).toBe(refusing));
          town.sim.fault = undefined;
          town.sim.crash(losing(mode, acts.length));
          await town.start();
          await town.act('session');
        },
      ),
      { numRuns: 500 },
    );
  });
});
