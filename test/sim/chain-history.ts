/** What happens in the scene of the watchdog chain, as plain data drawn from a seed. */
import { Chance } from '../world/chance.ts';

/** Which of the three that find a dead Deacon are on. */
const LINES = ['all', 'boot', 'daemon', 'discovery'] as const;
export type Line = (typeof LINES)[number];

const SECOND = 1_000;
/** Troubles come until then; what follows is long enough for all of it to be over. */
export const CALM_AT = 240 * SECOND;
export const ENDS_AT = CALM_AT + 300 * SECOND;
const DEEDS = [
  ...(['crashes', 'crashes', 'leaves', 'hangs', 'hangs', 'hangs, accused', 'hangs, accused', 'cameTo'] as const),
  ...(['accused', 'accusedByForce', 'worker crashes', 'worker asks', 'worker asks', 'deacon asks'] as const),
  ...(['an older life asks', 'pauses', 'pauses', 'tmux is silent', 'is busy', 'waits for a person'] as const),
  ...(['is checked', 'is checked', 'triage', 'is lost'] as const),
] as const;
export interface Deed {
  readonly at: number;
  readonly does: (typeof DEEDS)[number];
  readonly forMs: number;
}
export interface ChainHistory {
  readonly seed: number;
  readonly line: Line;
  readonly isActor: boolean;
  readonly restart: 'permanent' | 'transient';
  readonly deeds: readonly Deed[];
  /** A kill after so many steps of each town process. */
  readonly fuses: readonly number[];
}

export function chainHistoryOf(seed: number): ChainHistory {
  const chance = new Chance(seed);
  const line = chance.oneOf(LINES);
  return {
    seed,
    line,
    isActor: chance.isHit(0.15),
    restart: chance.oneOf(['permanent', 'transient']),
    deeds: Array.from({ length: 3 + chance.upTo(14) }, () => ({
      at: chance.upTo(CALM_AT - 30 * SECOND),
      does: chance.oneOf(DEEDS),
      forMs: 1 + chance.upTo(70 * SECOND),
    })),
    fuses: Array.from({ length: chance.upTo(7) }, () => 1 + chance.upTo(chance.isHit(0.4) ? 80 : 1_500)),
  };
}
