import { expect, test } from 'vitest';
import type { Incarnation, Proc } from '../../../machines/protocol.ts';
import { CpuSampler, rateBetween } from '../../../src/hearings/cpu.ts';
import type { Processes, Usage } from '../../../src/ports/ports.ts';

const life = (uuid: string): Incarnation => ({
  uuid,
  session: uuid,
  server: { pid: 2, started: 'x' },
  sessionId: '$1',
  paneId: '%1',
  agent: { pid: 10, started: 'x' },
  origin: 'started',
});

/** A process table whose tree and CPU the test sets. */
class Table implements Pick<Processes, 'usageOf'> {
  used = new Map<number, number>();
  isBlind = false;
  usageOf = (agents: readonly Proc[]): Promise<Usage[]> =>
    this.isBlind
      ? Promise.reject(new Error('EMFILE'))
      : Promise.resolve(agents.map(() => ({ cpu: this.#named(), memoryBytes: this.memoryBytes })));
  memoryBytes = 0;
  readonly #named = (): Map<string, number> => new Map([...this.used].map(([pid, ms]) => [`${pid} x`, ms]));
}

const NUMBERS = { cpuBaselineMs: 30_000, cpuSampleEveryMs: 10_000, maxRemembered: 2 };

test('the rate of the last 30 s, measured at its own pace however often it is called', async () => {
  const table = new Table();
  const sampler = new CpuSampler(table, NUMBERS);
  for (let second = 0; second <= 100; second += 1) {
    // Idle for a minute, then 100 ms per s.
    table.used = new Map([[10, 5_000 + Math.max(0, second - 60) * 100]]);
    await sampler.sample([life('a')], second * 1_000);
    if (second === 9) expect(sampler.rate('a')).toBeNull();
    if (second === 60) expect(sampler.rate('a')).toBe(0);
  }
  expect(sampler.rate('a')).toBe(100);
});

test('what cannot be measured is no rate, and a life not named is forgotten', async () => {
  const table = new Table();
  const sampler = new CpuSampler(table, NUMBERS);
  table.used = new Map([[10, 0]]);
  await sampler.sample([life('a'), life('b')], 0);
  await sampler.sample([life('a')], 10_000);
  expect([sampler.rate('a'), sampler.rate('b')]).toEqual([0, null]);
  table.isBlind = true;
  await sampler.sample([life('a')], 20_000);
  expect(sampler.rate('a')).toBeNull();
});

test('a gap is no time in which nothing was used: samples before it are dropped', async () => {
  const table = new Table();
  const sampler = new CpuSampler(table, NUMBERS);
  table.used = new Map([[10, 0]]);
  await sampler.sample([life('a')], 0);
  await sampler.sample([life('a')], 10_000);
  await sampler.sample([life('a')], 3_600_000);
  expect(sampler.rate('a')).toBeNull();
});

test('a process that came counts whole, one that went not at all', () => {
  const before = {
    at: 0,
    used: new Map([
      ['1 x', 400],
      ['2 x', 900],
    ]),
  };
  const after = {
    at: 2_000,
    used: new Map([
      ['1 x', 500],
      ['3 x', 300],
    ]),
  };
  expect(rateBetween(before, after)).toBe(200);
});

test('who was in the tree of a life is remembered beyond its end, of as many lives as policy says', async () => {
  const table = new Table();
  const sampler = new CpuSampler(table, NUMBERS);
  table.used = new Map([
    [10, 1],
    [11, 1],
  ]);
  await sampler.sample([life('one')], 0);
  table.used = new Map([[10, 1]]);
  await sampler.sample([life('one')], 10_000);
  await sampler.sample([life('two')], 20_000);
  expect([...sampler.kinOf('one')].sort()).toEqual(['10 x', '11 x']);
  expect(sampler.rate('one')).toBeNull();
  await sampler.sample([life('three')], 30_000);
  expect([sampler.kinOf('one').size, sampler.kinOf('two').size]).toEqual([0, 1]);
});
