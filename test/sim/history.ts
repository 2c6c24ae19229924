/**
 * What a history consists of, as plain data drawn from a seed: targets, warrants, and what goes wrong when.
 * In `liveness` all faults end at `calmAt`, so that everything must come to its end; in `safety` they go on.
 */
import type { Cause } from './log.ts';
import { Chance } from '../world/chance.ts';
import type { Login, TargetPlan } from './agent-plans.ts';

export type Mode = 'safety' | 'liveness';

export interface Filing {
  readonly at: number;
  readonly id: string;
  readonly target: string;
  readonly requester: string;
  readonly force: boolean;
  readonly expired: boolean;
  /** Dropped by another program, without an incarnation. */
  readonly loose: boolean;
  /** The same file put there again, so much later each. */
  readonly again: readonly number[];
  readonly cancelledAt: number;
}
/** An operator's `session stop`. */
interface Stop {
  readonly at: number;
  readonly target: string;
}
export interface DiskSpell {
  readonly from: number;
  readonly to: number;
  readonly kind: 'ENOSPC' | 'EIO' | 'slow';
  readonly share: number;
  readonly slowMs: number;
}
export interface History {
  readonly seed: number;
  readonly mode: Mode;
  readonly targets: readonly TargetPlan[];
  readonly filings: readonly Filing[];
  readonly stops: readonly Stop[];
  /** Of the account that they share; null = it works all the while. */
  readonly login: Login | null;
  /** Of the first town, and of those that start later. */
  readonly poolSizes: readonly [number, number];
  readonly pardonOn: 'evidence' | 'answer';
  /** Operations between two crashes of the town, one number a crash. */
  readonly fuses: readonly number[];
  readonly downMs: number;
  /** What a crash does to what was not synced; `process` = only the process dies. */
  readonly loss: 'lost' | 'kept' | 'mixed' | 'process';
  readonly freezes: readonly { readonly at: number; readonly forMs: number }[];
  readonly wallJumps: readonly { readonly at: number; readonly byMs: number }[];
  readonly spells: readonly DiskSpell[];
  /** A second town begins while the first is stopped; the first goes on later. */
  readonly secondTown: { readonly freezeAt: number; readonly bootAt: number; readonly thawAt: number } | null;
  readonly journals: boolean;
  readonly calmAt: number;
  readonly endsAt: number;
}

const HEARING_MS = 42_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function hindrances(chance: Chance): { cause: Cause; from: number; to: number }[] {
  const some: { cause: Cause; from: number; to: number }[] = [];
  const draw = (share: number, cause: Cause, longest: number) => {
    if (chance.isHit(share)) some.push({ cause, ...chance.span(1.3 * HEARING_MS, longest) });
  };
  draw(0.2, 'hidden', HEARING_MS / 3);
  draw(0.2, 'hidden', 3_000);
  draw(0.1, 'person', 1.5 * HEARING_MS);
  draw(0.07, 'dialog', HEARING_MS / 2);
  draw(0.1, 'busy', HEARING_MS / 2);
  draw(0.02, 'busy', 4 * HEARING_MS);
  return some;
}

function target(chance: Chance, name: string): TargetPlan {
  const adopted = chance.isHit(0.1);
  return {
    name,
    origin: adopted ? 'adopted' : 'started',
    restart: adopted ? 'temporary' : chance.oneOf(['transient', 'transient', 'permanent', 'temporary']),
    answer: chance.isHit(0.35)
      ? {
          attempt: 1 + chance.upTo(3),
          afterMs: chance.upTo(chance.isHit(0.5) ? 26_000 : 4_000),
          by: chance.isHit(0.5) ? 'file' : 'screen',
        }
      : null,
    hindered: chance.isHit(0.5) ? hindrances(chance) : [],
    evidenceAt: chance.isHit(0.1) ? chance.upTo(1.3 * HEARING_MS) : Infinity,
    dies: chance.isHit(0.18)
      ? {
          at: chance.upTo(1.3 * HEARING_MS),
          of: chance.isHit(0.4) ? 'clean exit' : 'crash',
          shown: chance.isHit(0.7),
          again: chance.isHit(0.3) ? chance.upTo(4) : 0,
          afterMs: 1 + chance.upTo(8_000),
        }
      : null,
    replacedAt: chance.isHit(0.08) ? chance.upTo(1.3 * HEARING_MS) : Infinity,
    immortal: chance.isHit(0.06),
    untouchableAt: Infinity,
    trapsTerm: chance.isHit(0.15),
    forks: chance.isHit(0.15) ? 1 + chance.upTo(3) : 0,
    failingRescues: chance.isHit(0.15) ? 1 + chance.upTo(4) : 0,
    failing: chance.isHit(0.25) ? 0.3 * chance.next() : 0,
    slow: chance.isHit(0.15) ? 0.1 * chance.next() : 0,
    answersTerm: chance.isHit(0.3) ? chance.upTo(1_500) : null,
    shares: true,
  };
}

function filings(chance: Chance, targets: readonly TargetPlan[]): Filing[] {
  const late = chance.isHit(0.2) ? HEARING_MS : 1_000;
  const draw = (target: string, n: number): Filing => ({
    at: chance.upTo(late),
    id: `w${n}`,
    target,
    requester: chance.oneOf(['boot', 'deacon', 'mayor']),
    force: chance.isHit(0.06),
    expired: chance.isHit(0.03),
    loose: chance.isHit(0.15),
    again: chance.isHit(0.06) ? [1 + chance.upTo(5_000), chance.upTo(1.2 * HEARING_MS)] : [],
    cancelledAt: chance.isHit(0.05) ? chance.upTo(HEARING_MS) : Infinity,
  });
  const first = targets.map(({ name }, n) => draw(name, n));
  const more = chance.isHit(0.25)
    ? Array.from({ length: 1 + chance.upTo(3) }, (_, n) => draw(chance.oneOf(targets).name, targets.length + n))
    : [];
  return [...first, ...more];
}

/** What came into these histories later, each of a stream that leaves the others as they were. */
interface Later {
  /** A warrant that expired, and one beside it that did not. */
  readonly beside: readonly Filing[];
  /** The wall is set by days. */
  readonly steps: History['wallJumps'];
  /** The pool of a town that starts later. */
  readonly pool: number | null;
  readonly stops: readonly Stop[];
}
function later(apart: Chance, targets: readonly TargetPlan[]): Later {
  const { name: target } = apart.oneOf(targets);
  const at = apart.upTo(HEARING_MS / 2);
  const one = { target, requester: 'witness', force: false, loose: false, again: [], cancelledAt: Infinity };
  const pair = [
    { ...one, at, id: 'w90', expired: true },
    { ...one, at: at + (apart.isHit(0.5) ? 0 : apart.upTo(4_000)), id: 'w91', expired: false },
  ];
  const step = {
    at: apart.upTo(1.5 * HEARING_MS),
    byMs: apart.oneOf([-1, 1]) * (apart.isHit(0.5) ? 10 : 1 + apart.upTo(3)) * DAY,
  };
  return {
    beside: apart.isHit(0.08) ? pair : [],
    steps: apart.isHit(0.12) ? [step] : [],
    pool: targets.length > 2 && apart.isHit(0.3) ? 1 : null,
    // Drawn last, so that older draws of this stream stay what they were.
    stops: apart.isHit(0.12) ? [{ at: apart.upTo(1.3 * HEARING_MS), target: apart.oneOf(targets).name }] : [],
  };
}

/** A stream of its own too. */
function loginOf(seed: number): Login | null {
  const chance = new Chance(-1e9 - seed);
  if (!chance.isHit(0.25)) return null;
  const deadAt = chance.upTo(HEARING_MS);
  return { deadAt, backAt: chance.isHit(0.5) ? Infinity : deadAt + chance.upTo(2 * HEARING_MS) };
}

/** The history of a seed. */
export function historyOf(seed: number, mode: Mode): History {
  const chance = new Chance(seed * 2 + (mode === 'safety' ? 0 : 1));
  const count = chance.isHit(0.85) ? 1 : 2 + chance.upTo(5);
  const calmAt = mode === 'safety' ? Infinity : chance.upTo(chance.isHit(0.5) ? 1_000 : 2 * HEARING_MS);
  const drawn = Array.from({ length: count }, (_, n) => target(chance, `s${n}`));
  const apart = new Chance(-1 - seed); // a stream of its own, so that every older history stays what it was
  const refusing = drawn.map((t) => (apart.isHit(0.06) ? { ...t, untouchableAt: apart.upTo(1.5 * HEARING_MS) } : t));
  const targets = mode === 'safety' ? refusing : refusing.map((t) => calmed(t, calmAt));
  const { beside, steps, pool, stops } = later(apart, targets);
  const isTwo = chance.isHit(0.06);
  const spells = chance.isHit(0.15)
    ? Array.from({ length: 1 + chance.upTo(3) }, () => ({
        ...chance.span(1.5 * HEARING_MS, 12_000),
        kind: chance.oneOf(['ENOSPC', 'EIO', 'slow'] as const),
        share: chance.isHit(0.5) ? 1 : chance.next(),
        slowMs: 1 + chance.upTo(chance.isHit(0.3) ? 6_000 : 400),
      }))
    : [];
  const freezes = chance.isHit(0.3)
    ? Array.from({ length: 1 + chance.upTo(3) }, () => ({
        at: chance.upTo(1.5 * HEARING_MS),
        forMs: chance.upTo(chance.isHit(0.3) ? HOUR : 20_000),
      }))
    : [];
  const wallJumps = chance.isHit(0.15)
    ? [{ at: chance.upTo(1.5 * HEARING_MS), byMs: chance.oneOf([-1, 1]) * chance.upTo(HOUR) }]
    : [];
  const fuses =
    !isTwo && chance.isHit(0.5)
      ? Array.from({ length: 1 + chance.upTo(3) }, () => 1 + chance.upTo(chance.isHit(0.5) ? 120 : 900))
      : [];
  const freezeAt = chance.upTo(HEARING_MS);
  const bootAt = freezeAt + chance.upTo(5_000);
  const thawAt = bootAt + chance.upTo(1.5 * HEARING_MS);
  const lastFault = Math.max(0, ...freezes.map((f) => f.at + f.forMs));
  const filed = filings(chance, targets);
  const poolSize = count > 2 ? 1 + chance.upTo(3) : 5;
  return {
    seed,
    mode,
    targets,
    filings: [...filed, ...beside],
    stops,
    login: loginOf(seed),
    poolSizes: [poolSize, pool ?? poolSize],
    pardonOn: chance.isHit(0.8) ? 'evidence' : 'answer',
    fuses,
    downMs: 1 + chance.upTo(chance.isHit(0.5) ? 500 : 8_000),
    loss: chance.oneOf(['lost', 'kept', 'mixed', 'process']),
    freezes: freezes.filter((f) => f.at < calmAt),
    wallJumps: [...wallJumps, ...steps].filter((j) => j.at < calmAt),
    spells: spells.map((s) => ({ ...s, to: Math.min(s.to, calmAt) })),
    secondTown: isTwo && thawAt < calmAt ? { freezeAt, bootAt, thawAt } : null,
    journals: chance.isHit(0.2),
    calmAt,
    endsAt:
      (mode === 'safety' ? 6 * HEARING_MS : Math.min(calmAt, 3 * HEARING_MS) + (3 + 3 * count) * HEARING_MS) +
      lastFault,
  };
}

function calmed(plan: TargetPlan, calmAt: number): TargetPlan {
  return { ...plan, hindered: plan.hindered.map((h) => ({ ...h, to: Math.min(h.to, Math.max(h.from, calmAt)) })) };
}
