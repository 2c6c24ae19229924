/** When the town is started again after a fall: at once twice as patient each time, for ever. Pure. */
import type { ProcessPolicy } from '../ports/policy.ts';
import type { Ms } from '../../machines/protocol.ts';

export type BackoffPolicy = Pick<ProcessPolicy, 'restartMs' | 'maxRestartMs' | 'stableMs' | 'maxFalls'>;

export interface Fall {
  /** Falls in a row without a stable spell, this one included. */
  readonly falls: number;
  readonly waitMs: Ms;
  /** It falls again and again: a person should look. */
  readonly alarm: boolean;
}

/** `before` = falls in a row so far; `livedMs` = how long this life was. */
export function fall(before: number, livedMs: Ms, policy: BackoffPolicy): Fall {
  const falls = livedMs >= policy.stableMs ? 1 : before + 1;
  const waitMs = Math.min(policy.restartMs * 2 ** (falls - 1), policy.maxRestartMs);
  return { falls, waitMs, alarm: falls > policy.maxFalls };
}
