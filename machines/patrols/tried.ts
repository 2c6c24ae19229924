/**
 * Acts of a patrol that come to nothing cycle after cycle (law 7): a table over what was not done now and what was not done before.
 * An act that fails often enough, for long enough, is alerted until it is done or no longer wanted.
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
  const undone = deeds.filter(({ act, done }) => !done && !HAS_LADDER.has(act));
  const now = new Map(undone.map(({ act, about, text }) => [`${act}/${about}`, text]));
  const next = (key: string, why: string): readonly [string, Tried] => {
    const known = before[key];
    if (known === undefined) return [key, { cycles: 1, forMs: 0, why }];
    const { cycles, forMs } = known;
    return [key, { cycles: cycles + 1, forMs: forMs + sinceMs, why: isLasting(known, limits) ? known.why : why }];
  };
  // Those that are remembered already come first: which they are must not change with the order of a cycle.
  const known = Object.keys(before).filter((key) => now.has(key));
  const keys = [...known, ...[...now.keys()].filter((key) => before[key] === undefined)].slice(0, MAX_TRIED);
  return Object.fromEntries(keys.map((key) => next(key, now.get(key) ?? '')));
}

/** What a person is alerted of, as a sentence without its subject; null = nothing lasts. */
export function lastingText(tried: ByKey, limits: Limits): string | null {
  const [first, ...more] = Object.entries(tried).filter(([, one]) => isLasting(one, limits));
  if (first === undefined) return null;
  const [key, { why }] = first;
  const [act = '', ...about] = key.split('/');
  const rest = more.length === 0 ? '' : ` The same holds for ${String(more.length)} more of its acts.`;
  return `${couldNotText(act, about.join('/'))} for several cycles: ${why}.${rest}`;
}
