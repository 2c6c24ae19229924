/** Of many alike a person reads a few by name, and the count of the others in one alert (law 8). Pure. */
import { MAX_ALIKE } from './policy.ts';

interface Alike<T> {
  /** How many alerts stand that name one. */
  readonly named: number;
  /** Those that no alert names. */
  readonly fresh: readonly T[];
  /** Whether the alert with the count stands. */
  readonly isCounted: boolean;
}

interface FewAndRest<T> {
  /** Each gets an alert by name now. */
  readonly alone: readonly T[];
  /** The alert with the count stands for these; empty = it is over. */
  readonly rest: readonly T[];
}

/** While the count stands no further one is named: else each that a person ends would alert them of the next. */
export function fewAndRest<T>({ named, fresh, isCounted }: Alike<T>): FewAndRest<T> {
  const room = Math.max(0, MAX_ALIKE - named);
  if (fresh.length <= room) return { alone: fresh, rest: [] };
  const alone = isCounted ? [] : fresh.slice(0, room);
  return { alone, rest: fresh.slice(alone.length) };
}
