/**
 * Acts of a patrol that come to nothing cycle after cycle (law 7): a table over what was not done now and what was not done before.
 * An act that fails often enough, for long enough, is alerted until it is done or no longer wanted; at once where only a person helps.
 */
import type { Deed, Tried } from '../protocol/patrols.ts';
import type { Ms } from '../protocol.ts';
import { couldNotText } from './act-words.ts';
import { MAX_TRIED, type PatrolPolicy } from './policy.ts';

type Limits = Pick<PatrolPolicy, 'undoneCycles' | 'undoneForMs'>;
type ByKey = Readonly<Record<string, Tried>>;

/** A nudge has a ladder of its own: an agent that works is spoken to later. */
const HAS_LADDER: ReadonlySet<string> = new Set(['nudge']);

const isLasting = ({ cycles, forMs }: Tried, { undoneCycles, undoneForMs }: Limits): boolean =>
  cycles >= undoneCycles && forMs >= undoneForMs;

/** `sinceMs`: since the cycle before, as far as a town ran. */
export function triedAfter(before: ByKey, deeds: readonly Deed[], sinceMs: Ms, limits: Limits): ByKey {
  const undone = deeds.filter(({ act, done, isAsked }) => !done && isAsked !== true && !HAS_LADDER.has(act));
  const now = new Map(undone.map((deed) => [`${deed.act}/${deed.about}`, deed]));
  const next = (key: string, { text, needsPerson = false }: Deed): readonly [string, Tried] => {
    const known = before[key];
    const cycles = known === undefined ? 1 : known.cycles + 1;
    const forMs = known === undefined ? 0 : known.forMs + sinceMs;
    const why = known !== undefined && isLasting(known, limits) ? known.why : text;
    if (!needsPerson) return [key, { cycles, forMs, why }];
    const { undoneCycles, undoneForMs } = limits;
    return [key, { cycles: Math.max(cycles, undoneCycles), forMs: Math.max(forMs, undoneForMs), why }];
  };
  // Those that are remembered already come first: which they are must not change with the order of a cycle.
  const known = Object.keys(before).filter((key) => now.has(key));
  const fresh = [...now.keys()].filter((key) => before[key] === undefined);
  const entries = [...known, ...fresh].slice(0, MAX_TRIED).flatMap((key) => {
    const deed = now.get(key);
    return deed === undefined ? [] : [next(key, deed)];
  });
  return Object.fromEntries(entries);
}

/** What a person is alerted of, as a sentence without its subject; null = nothing lasts. */
export function lastingText(tried: ByKey, limits: Limits): string | null {
  const [first, ...more] = Object.entries(tried).filter(([, one]) => isLasting(one, limits));
  if (first === undefined) return null;
  const [key, { why }] = first;
  const [act = '', ...about] = key.split('/');
  const rest = more.length === 0 ? '' : ` The same holds for ${String(more.length)} more of its acts.`;
  return `${couldNotText(act, about.join('/'))}: ${why}.${rest}`;
}
