/** What remains of a cycle: its record, and when the next one comes. Pure. */
import { nextMultiple } from '../kernel/schedule.ts';
import type { Stamp } from '../protocol.ts';
import type { Deed, Patrolled, PatrolRecord } from '../protocol/patrols.ts';
import { handledAfter } from '../witness/letters.ts';
import { cycleOf, type RoundState } from './state.ts';
import { triedAfter } from '../patrols/tried.ts';

const NONE = {
  observed: {},
  done: 0,
  undone: 0,
  stranded: [],
  tried: {},
  letters: null,
  memory: {},
  stands: {},
  claims: null,
} as const;

/** P-18: how many cycles there were that say whether they needed a decision, and how many did. */
function counted(record: PatrolRecord | null, observed: PatrolRecord['observed']): PatrolRecord['observed'] {
  const { needs_triage: needs } = observed;
  const { cycles = 0, triage_cycles: before = 0 } = record?.observed ?? {};
  const own =
    needs === undefined ? { cycles, triage_cycles: before } : { cycles: cycles + 1, triage_cycles: before + needs };
  return { ...observed, ...(own.cycles > 0 && own) };
}

/** What its deeds leave to the next cycle. */
function remembered(
  { record, cycle, steps }: RoundState,
  deeds: readonly Deed[],
  now: Stamp,
): Pick<PatrolRecord, 'letters' | 'memory' | 'stands' | 'claims'> {
  const { letters, claims } = record ?? NONE;
  const { memory, stands } = steps ?? record ?? NONE;
  const handled = cycle === null ? letters : handledAfter(letters, cycle.seen.letters, deeds, now.wall);
  return { letters: handled, memory, stands, claims: cycle?.claims ?? claims };
}

/** It came to its end. */
export function afterCycle(context: RoundState, found: Patrolled, now: Stamp): Partial<RoundState> {
  const { of, policy, policies, wokenMs, record, endedAt } = context;
  const ownMs = found.isActive ? policy.activeMs : policy.idleMs;
  const wakeAt = nextMultiple(now.at, Math.min(ownMs, wokenMs ?? ownMs));
  if (found.isPaused) return { wakeAt };
  if (found.isWatch === true) return { record: afterWatch(context, found, now), wakeAt };
  const { observed, stranded, deeds } = found;
  const done = deeds.filter((deed) => deed.done).length;
  const sinceMs = endedAt === null ? 0 : now.at - endedAt;
  const next: PatrolRecord = {
    of,
    cycle: cycleOf(context),
    endedAt: now.wall,
    why: null,
    failures: 0,
    observed: counted(record, observed),
    done,
    undone: deeds.length - done,
    stranded,
    tried: triedAfter(record?.tried ?? {}, deeds, sinceMs, policies.patrol),
    ...remembered(context, deeds, now),
  };
  return { record: next, endedAt: now.at, wakeAt };
}

/** The town looked after the agent that patrols: what that one's cycles found stays. */
function afterWatch({ of, record }: RoundState, { observed }: Patrolled, now: Stamp): PatrolRecord {
  const before = record ?? { ...NONE, of, cycle: 0, endedAt: now.wall };
  return { ...before, observed: { ...before.observed, ...observed }, why: null, failures: 0 };
}

/** It came to nothing. What it did before that is done. */
export function afterFailure(context: RoundState, why: string, now: Stamp): Partial<RoundState> {
  const { of, policy, record, cycle } = context;
  const failures = (record?.failures ?? 0) + 1;
  const next: PatrolRecord = {
    ...NONE,
    ...record,
    of,
    cycle: cycleOf(context),
    endedAt: now.wall,
    why,
    failures,
    ...remembered(context, cycle?.deeds ?? [], now),
  };
  return { record: next, endedAt: now.at, wakeAt: nextMultiple(now.at, policy.activeMs) };
}
