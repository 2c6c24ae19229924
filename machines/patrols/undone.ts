/**
 * Acts of a patrol that come to nothing cycle after cycle (law 7): a table over what was not done now and what was not done before.
 * One that fails often enough, for long enough, is told; it is over when it was done, or when nobody wants it any more.
 */
import type { Ms } from '../protocol.ts';
import type { PatrolPolicy } from './policy.ts';

/** An act of this cycle that was not done. */
export interface UndoneAct {
  /** The act and what it is about: the same in every cycle. */
  readonly key: string;
  readonly why: string;
}

/** How often in a row it was not done before this cycle, and since when. */
export interface UndoneBefore {
  readonly cycles: number;
  readonly forMs: Ms;
}

export interface UndoneSeen {
  readonly now: readonly UndoneAct[];
  readonly before: ReadonlyMap<string, UndoneBefore>;
  /** Keys of those that a person was told of, and that are not over. */
  readonly told: readonly string[];
}

export interface UndoneDecided {
  readonly tell: readonly (UndoneAct & { readonly cycles: number })[];
  readonly over: readonly string[];
}

export function undoneActs(
  { now, before, told }: UndoneSeen,
  { undoneCycles, undoneForMs }: Pick<PatrolPolicy, 'undoneCycles' | 'undoneForMs'>,
): UndoneDecided {
  const tell = now.flatMap((one) => {
    const { cycles, forMs } = before.get(one.key) ?? { cycles: 0, forMs: 0 };
    const isLasting = cycles + 1 >= undoneCycles && forMs >= undoneForMs;
    return isLasting && !told.includes(one.key) ? [{ ...one, cycles: cycles + 1 }] : [];
  });
  return { tell, over: told.filter((key) => !now.some((one) => one.key === key)) };
}
