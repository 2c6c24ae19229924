/**
 * When a reasoner is asked, and when a person (P-14): a table over the queue, without a machine.
 * 1. An empty queue costs nothing. One run at a time, and never more in 24 hours than the budget.
 * 2. What a reasoner does not decide in time, or may not decide, a person is told once; from then on it is that person's.
 * 3. Unknown whether one runs is as if one did.
 * 4. Of many cases a person is told of a few by name, and of the others by one alert with their count (law 8).
 * 5. After a run that failed there is a pause. After one that decided nothing only the cases that it saw pause: a new one waits for no other.
 */
import type { Ms } from '../protocol.ts';
import type { TriageCase } from './cases.ts';
import type { TriagePolicy } from './policy.ts';
import { span } from '../kernel/span.ts';
import { fewAndRest } from '../patrols/few.ts';

export interface CaseSeen extends Pick<TriageCase, 'id' | 'tries' | 'isPersons' | 'wasTold' | 'unproven'> {
  readonly ageMs: Ms;
}

/** `useful`: it decided something. `useless`: it decided nothing. `failed`: it could not be started, says that it failed, or was killed. */
export type RunCame = 'useful' | 'useless' | 'failed';

/** A run that has begun, by its beginning. */
export interface RunSeen {
  readonly agoMs: Ms;
  /** Since its end; since its beginning if its end was not seen. */
  readonly restedMs: Ms;
  readonly came: RunCame;
}

export interface QueueSeen {
  /** Open ones. */
  readonly cases: readonly CaseSeen[];
  /** Of the last 24 hours at least, the youngest first. */
  readonly runs: readonly RunSeen[];
  readonly running: 'yes' | 'no' | 'unknown';
  /** How many cases a person was told of by their number alone; null = of none. */
  readonly counted: number | null;
}

export type DispatchAct =
  | { readonly act: 'run'; readonly cases: readonly string[] }
  /** A person is told, and decides. */
  | { readonly act: 'tell'; readonly case: string; readonly why: string }
  /** … of so many more, by their number alone; 0 = few are left, and each has its word. */
  | { readonly act: 'count'; readonly count: number; readonly why: string }
  /** There is something to decide, and no run now. `isShort`: a run may follow any moment, so that the patrol keeps its pace. */
  | { readonly act: 'wait'; readonly why: string; readonly isShort: boolean };

const DAY = 24 * 60 * 60_000;

export function dispatchTriage(seen: QueueSeen, policy: TriagePolicy): DispatchAct[] {
  const untold: TellAct[] = [];
  const left: CaseSeen[] = [];
  for (const one of seen.cases) {
    const why = whyPersons(one, seen.running, policy);
    if (why === null) left.push(one);
    else if (!one.wasTold) untold.push({ act: 'tell', case: one.id, why });
  }
  const told = tellOf(untold, seen);
  if (left.length === 0) return told;
  const why = whyNot(seen, policy);
  if (why !== null) return [...told, { act: 'wait', why, isShort: seen.running === 'yes' }];
  const rest = restAfter(seen, policy);
  const free = rest === null ? left : left.filter(({ tries }) => rest.isOfSeen && tries === 0);
  if (rest !== null && free.length === 0) return [...told, { act: 'wait', why: rest.why, isShort: false }];
  const oldest = free.sort((one, other) => other.ageMs - one.ageMs || (one.id < other.id ? -1 : 1));
  return [...told, { act: 'run', cases: oldest.slice(0, policy.maxCases).map(({ id }) => id) }];
}

type TellAct = Extract<DispatchAct, { act: 'tell' }>;

function tellOf(untold: readonly TellAct[], { cases, counted }: QueueSeen): DispatchAct[] {
  const named = cases.filter(({ wasTold }) => wasTold).length;
  const { alone, rest } = fewAndRest({ named, fresh: untold, isCounted: counted !== null });
  if (rest.length === (counted ?? 0)) return [...alone];
  return [...alone, { act: 'count', count: rest.length, why: rest[0]?.why ?? '' }];
}

/** Why no reasoner is asked about it; null = one may be. */
function whyPersons(
  { isPersons, wasTold, tries, ageMs, unproven }: CaseSeen,
  running: QueueSeen['running'],
  policy: TriagePolicy,
): string | null {
  if (unproven !== null) return unproven;
  if (wasTold || isPersons) return 'it was left to a person';
  if (policy.reasoner === 'none') return 'no reasoner is configured';
  // The run under way counts as a try already, and may still decide.
  if (tries >= policy.maxTries && running !== 'yes') return `${policy.maxTries} runs of the reasoner left it open`;
  return ageMs >= policy.personAfterMs ? `it has been open for ${span(policy.personAfterMs)}` : null;
}

/** Why there is no run now; null = there may be one. */
function whyNot({ runs, running }: QueueSeen, policy: TriagePolicy): string | null {
  if (running === 'yes') return 'a run is under way';
  if (running === 'unknown') return 'whether a run is under way is not known';
  if (runs.filter(({ agoMs }) => agoMs < DAY).length >= policy.maxRuns)
    return `${policy.maxRuns} runs in 24 hours are the budget`;
  return null;
}

/** The pause after runs without a decision; null = it is over. `isOfSeen`: cases that no run saw do not wait for it. */
function restAfter(
  { runs }: QueueSeen,
  policy: TriagePolicy,
): { readonly why: string; readonly isOfSeen: boolean } | null {
  const useful = runs.findIndex(({ came }) => came === 'useful');
  const idle = useful < 0 ? runs : runs.slice(0, useful);
  const [last] = idle;
  if (last === undefined) return null;
  const isBroken = idle.length >= policy.breakerFailures;
  const pause = isBroken ? Math.max(policy.breakerRestMs, policy.cooldownMs) : policy.cooldownMs;
  if (last.restedMs >= pause) return null;
  const many = isBroken ? `the last ${idle.length} runs` : 'the last run';
  const why = `${many} decided nothing; the next one may begin in ${span(pause - last.restedMs)}`;
  return { why, isOfSeen: !isBroken && last.came === 'useless' };
}
