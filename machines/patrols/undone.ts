/**
 * Acts of a patrol that come to nothing cycle after cycle (law 7): a table over what was not done now and what was not done before.
 * An act that fails often enough, for long enough, becomes an alert. The alert ends once the act is done or no longer wanted. Of many
 * alerts about one act a few stand by name, and one gives the count of the others.
 */
import type { Ms } from '../protocol.ts';
import { fewAndRest } from './few.ts';
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
  /** Those with an open alert. */
  readonly told: readonly UndoneTold[];
}

interface UndoneTold {
  readonly key: string;
  /** How many it stands for. */
  readonly count?: number | 'more' | undefined;
}

export interface UndoneDecided {
  readonly tell: readonly (UndoneAct & { readonly cycles: number; readonly count?: number })[];
  readonly over: readonly string[];
}

type Limits = Pick<PatrolPolicy, 'undoneCycles' | 'undoneForMs'>;
type Telling = UndoneDecided['tell'][number];

/** Of no bead or polecat: what stands for the rest of an act. */
const REST = '+';
const actOf = (key: string): string => key.slice(0, key.indexOf('/'));

export function undoneActs({ now, before, told }: UndoneSeen, { undoneCycles, undoneForMs }: Limits): UndoneDecided {
  const lasting = now.flatMap((one): Telling[] => {
    const { cycles, forMs } = before.get(one.key) ?? { cycles: 0, forMs: 0 };
    return cycles + 1 >= undoneCycles && forMs >= undoneForMs ? [{ ...one, cycles: cycles + 1 }] : [];
  });
  const standing = new Set(now.map(({ key }) => key));
  const isRest = (key: string): boolean => key === `${actOf(key)}/${REST}`;
  const gone = told.filter(({ key }) => !isRest(key) && !standing.has(key)).map(({ key }) => key);
  const decided = [...new Set([...lasting, ...told].map(({ key }) => actOf(key)))].map((act) => {
    const of = (one: { readonly key: string }): boolean => actOf(one.key) === act;
    return ofAct(`${act}/${REST}`, { now: now.filter(of), lasting: lasting.filter(of), told: told.filter(of) });
  });
  return { tell: decided.flatMap(({ tell }) => tell), over: [...gone, ...decided.flatMap(({ over }) => over)] };
}

interface OfAct {
  readonly now: readonly UndoneAct[];
  readonly lasting: readonly Telling[];
  readonly told: readonly UndoneTold[];
}

function ofAct(restKey: string, { now, lasting, told }: OfAct): UndoneDecided {
  const rest = told.find(({ key }) => key === restKey);
  const named = new Set(now.flatMap(({ key }) => (told.some((one) => one.key === key) ? [key] : [])));
  const fresh = lasting.filter(({ key }) => !named.has(key));
  const { alone, rest: others } = fewAndRest({ named: named.size, fresh, isCounted: rest !== undefined });
  const [first] = others;
  if (first === undefined) return { tell: alone, over: rest === undefined ? [] : [restKey] };
  const count = now.length - named.size - alone.length;
  return { tell: [...alone, ...(rest?.count === count ? [] : [{ ...first, key: restKey, count }])], over: [] };
}
