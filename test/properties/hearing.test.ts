/** A hearing under attack. The oracle judges; each property names its fault. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { deaf, HEARING_MS, loss, RUNS, seed, span, told, WINDOWS_MS } from './stories.ts';

/** Histories take processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 180_000 });

// Rules: I-2.
test('2: killed again and again, it still ends, after three questions at most', async () => {
  const fuses = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(seed, fuses, loss, fc.integer({ min: 1, max: 3_000 }), async (n, all, lost, downMs) => {
      const { log } = await told({ seed: n, fuses: all, loss: lost, downMs });
      const codes = log.flatMap((entry) => (entry.what === 'asked' ? [`${entry.dance} ${entry.code}`] : []));
      expect(new Set(codes).size).toBeLessThanOrEqual(WINDOWS_MS.length);
    }),
    RUNS,
  );
});

// Rules: I-3.
test('3: two towns, one stopped and continued later: one acts, the other kills no agent and goes', async () => {
  const at = fc.record({ freezeAt: fc.nat(HEARING_MS + 6_000), wait: fc.nat(3_000), late: fc.nat(HEARING_MS + 6_000) });
  await fc.assert(
    fc.asyncProperty(seed, at, async (n, { freezeAt, wait, late }) => {
      const bootAt = freezeAt + wait;
      const { log, signalled } = await told({ seed: n, secondTown: { freezeAt, bootAt, thawAt: bootAt + late } });
      expect(signalled).toBe(1);
      const towns = new Set(log.flatMap((e) => (e.what === 'signalled' && e.signal === 'TERM' ? [e.town] : [])));
      expect(towns.size).toBeLessThanOrEqual(1);
    }),
    RUNS,
  );
});

// Rules: D-5, I-5.
test('5: an answer in every slot around each deadline and the kill intent pardons, up to the last look', async () => {
  const slot = fc.oneof(fc.nat(HEARING_MS), fc.integer({ min: -400, max: 900 }));
  const answer = fc.record({ attempt: fc.constantFrom(1, 2, 3), slot, by: fc.constantFrom('file', 'screen') });
  await fc.assert(
    fc.asyncProperty(seed, answer, async (n, { attempt, slot: near, by }) => {
      const windowMs = WINDOWS_MS[attempt - 1] ?? 0;
      const afterMs = near < 1_000 ? windowMs + near : near % windowMs;
      const { log } = await told({ seed: n, targets: [{ ...deaf, answer: { attempt, afterMs, by } }] });
      const inTime = afterMs < windowMs;
      const verdict = log.findLast((entry) => entry.what === 'told')?.verdict;
      if (inTime) expect(verdict).toBe('pardoned');
    }),
    { numRuns: 200 },
  );
});

// Rules: D-7, I-6.
test('6: stops, downs and a wall clock that jumps never shorten the time given, and it ends', async () => {
  const freezes = fc.array(fc.record({ at: fc.nat(HEARING_MS), forMs: fc.nat(3_600_000) }), { maxLength: 3 });
  const jumps = fc.array(fc.record({ at: fc.nat(HEARING_MS), byMs: fc.integer({ min: -3_600_000, max: 3_600_000 }) }), {
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(seed, freezes, jumps, fc.nat(200), async (n, stops, wallJumps, fuse) => {
      const endsAt = 15 * HEARING_MS + stops.reduce((sum, { forMs }) => sum + forMs, 0);
      const { verdicts } = await told({ seed: n, freezes: stops, wallJumps, fuses: [fuse + 1], endsAt });
      expect(verdicts).toEqual({ executed: 1 });
    }),
    RUNS,
  );
});

// Rules: I-6.
test('6: a look whose outcome waited in a stopped town is as old as it is: no signal rests on it', async () => {
  const stop = fc.record({
    at: fc.integer({ min: HEARING_MS, max: HEARING_MS + 900 }),
    forMs: fc.integer({ min: 5_500, max: 90_000 }),
  });
  await fc.assert(
    fc.asyncProperty(seed, stop, fc.nat(30_000), async (n, freeze, late) => {
      const answer = { attempt: 3, afterMs: 24_900 + late, by: 'screen' } as const;
      await told({ seed: n, targets: [{ ...deaf, answer }], freezes: [freeze], endsAt: 15 * HEARING_MS });
    }),
    { numRuns: 120 },
  );
});

// Rules: D-9, I-8.
test('8: the target dies and its name returns: only the recorded life can be killed', async () => {
  const dies = fc.record({
    at: fc.nat(HEARING_MS + 6_000),
    of: fc.constantFrom('clean exit', 'crash'),
    shown: fc.boolean(),
    again: fc.nat(3),
    afterMs: fc.integer({ min: 1, max: 10_000 }),
  });
  const restart = fc.constantFrom('permanent', 'transient', 'temporary');
  await fc.assert(
    fc.asyncProperty(seed, fc.option(dies), fc.nat(HEARING_MS + 6_000), restart, async (n, death, at, policy) => {
      const target = { ...deaf, restart: policy, dies: death, replacedAt: death === null ? at : Infinity };
      const { log } = await told({ seed: n, targets: [target] });
      const killed = log.flatMap((entry) => (entry.what === 'signalled' ? [entry.of] : []));
      expect(killed.every((life) => life === 'life-s0')).toBe(true);
    }),
    RUNS,
  );
});

// Rules: I-11.
test('11: while tmux does not answer there is no verdict; afterwards the whole time is given', async () => {
  await fc.assert(
    fc.asyncProperty(seed, fc.array(span(60_000), { minLength: 1, maxLength: 4 }), async (n, spans) => {
      const hindered = spans.map(({ from, to }) => ({ cause: 'hidden' as const, from, to }));
      const { log, verdicts } = await told({ seed: n, targets: [{ ...deaf, hindered }], calmAt: Infinity });
      expect(verdicts).toEqual({ executed: 1 });
      const kill = log.find((entry) => entry.what === 'signalled');
      expect(hindered.some(({ from, to }) => kill !== undefined && kill.t >= from + 5_000 && kill.t < to)).toBe(false);
    }),
    RUNS,
  );
});
