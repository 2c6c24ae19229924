/** A random history of agents that work, ask and lose their accounts. */
import { SAID_STATES } from '../../machines/sessions/agent-state.ts';
import { Chance } from '../world/chance.ts';
import type { Login } from './agent-plans.ts';
import type { Source, Sourced } from './minds.ts';

export const SECOND = 1_000;
/** Troubles come until then; what follows is long enough for all of it to be over. */
export const CALM_AT = 400 * SECOND;
export const ENDS_AT = CALM_AT + 320 * SECOND;
/** Those of limits, scaled. */
export const LIMITS = {
  limitRetryMs: 30 * SECOND,
  limitOverMs: 6 * SECOND,
  limitProofMs: 40 * SECOND,
  limitProbeMs: 100 * SECOND,
  limitAgainMs: 20 * SECOND,
};

export const WORKERS = ['w0', 'w1', 'w2'] as const;
export const ORCHESTRATOR = 'boss';
/** By weight. */
const ACTS = [
  ...(['works', 'works', 'works', 'rests', 'asks', 'asks', 'is limited', 'is done', 'fails', 'is denied'] as const),
  ...(['a person types', 'crashes', 'crashes', 'leaves', 'work is sent', 'work is sent', 'writes evidence'] as const),
  ...([
    'letters are read',
    'tmux is silent',
    'is accused',
    'is accused',
    'reports',
    'reports',
    'is restarted',
    'all crash',
  ] as const),
] as const;
export interface Act {
  readonly at: number;
  readonly does: (typeof ACTS)[number];
  readonly who: (typeof WORKERS)[number];
  readonly forMs: number;
}
export interface EarsHistory {
  readonly seed: number;
  readonly sources: Readonly<Record<string, Sourced>>;
  readonly shares: Readonly<Record<string, boolean>>;
  /** Who answers a hearing, at rest. */
  readonly answers: Readonly<Record<string, boolean>>;
  readonly login: Login | null;
  readonly acts: readonly Act[];
  /** A kill after so many steps of each town process. */
  readonly fuses: readonly number[];
}

export function earsHistoryOf(seed: number): EarsHistory {
  const chance = new Chance(seed);
  const source = (): Source => (chance.isHit(0.6) ? 'true' : chance.oneOf(['missing', 'late', 'lies'] as const));
  const drawn = WORKERS.map(
    (name) => [name, { program: source(), screen: source(), lie: chance.oneOf(SAID_STATES) }] as const,
  );
  const deadAt = chance.upTo(CALM_AT);
  return {
    seed,
    sources: Object.fromEntries(drawn),
    shares: Object.fromEntries(WORKERS.map((name) => [name, chance.isHit(0.7)])),
    answers: Object.fromEntries(WORKERS.map((name) => [name, chance.isHit(0.5)])),
    login: chance.isHit(0.4) ? { deadAt, backAt: Math.min(CALM_AT, deadAt + chance.upTo(150 * SECOND)) } : null,
    acts: Array.from({ length: 10 + chance.upTo(25) }, () => ({
      at: chance.upTo(CALM_AT - 20 * SECOND),
      does: chance.oneOf(ACTS),
      who: chance.oneOf(WORKERS),
      forMs: 1 + chance.upTo(120 * SECOND),
    })),
    fuses: Array.from({ length: chance.upTo(7) }, () => 1 + chance.upTo(chance.isHit(0.4) ? 80 : 1_500)),
  };
}
