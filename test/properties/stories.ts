/** Histories made by hand: one deaf target, one warrant, nothing wrong, and what a property changes of it. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Filing, History } from '../sim/history.ts';
import { countsOf, playHearings } from '../sim/scenes.ts';
import { DEAF, type TargetPlan } from '../sim/agent-plans.ts';
import { traceOf } from '../sim/log.ts';

export const WINDOWS_MS = [6_000, 12_000, 24_000] as const;
export const HEARING_MS = 42_000;

export const deaf: TargetPlan = { ...DEAF, name: 's0' };
export const filing: Filing = {
  at: 10,
  id: 'w0',
  target: 's0',
  requester: 'deacon',
  force: false,
  expired: false,
  loose: false,
  again: [],
  cancelledAt: Infinity,
};
export const quiet: History = {
  seed: 1,
  mode: 'liveness',
  targets: [deaf],
  filings: [filing],
  stops: [],
  login: null,
  poolSizes: [5, 5],
  pardonOn: 'evidence',
  fuses: [],
  downMs: 500,
  loss: 'lost',
  freezes: [],
  wallJumps: [],
  spells: [],
  secondTown: null,
  journals: false,
  calmAt: 3 * HEARING_MS,
  endsAt: 12 * HEARING_MS,
};

/** Plays it and demands that the oracle finds nothing and every warrant comes to its end. */
export async function told(more: Partial<History>) {
  const played = await playHearings({ ...quiet, ...more });
  expect(played.findings, traceOf(played.log)).toEqual([]);
  return { ...played, ...countsOf(played.log) };
}

/** Many runs in a small time; a failure prints fast-check's seed and path. */
export const RUNS = { numRuns: 60 } as const;

export const seed = fc.nat(1_000_000);
export const loss = fc.constantFrom('lost', 'kept', 'mixed', 'process');
/** A span of virtual time in or near the hearing. */
export const span = (longest: number): fc.Arbitrary<{ from: number; to: number }> =>
  fc.tuple(fc.nat(HEARING_MS), fc.integer({ min: 1, max: longest })).map(([from, ms]) => ({ from, to: from + ms }));
