/** How many letters of each sender a witness handled in this hour (W-1). An hour of the wall clock, since people read of it. Pure. */
import { MAX_SENDERS } from '../patrols/policy.ts';
import type { Deed, HandledLetters } from '../protocol/patrols.ts';
import type { WallMs } from '../protocol.ts';
import type { LetterSeen } from './observation.ts';

const HOUR_MS = 60 * 60_000;
const hourOf = (now: WallMs): WallMs => now - (now % HOUR_MS);

/** Of this hour, by sender. */
export const handledIn = (letters: HandledLetters | null, now: WallMs): Readonly<Record<string, number>> =>
  letters?.hour === hourOf(now) ? letters.handled : {};

/** With the letters that these deeds put away. */
export function handledAfter(
  before: HandledLetters | null,
  letters: readonly LetterSeen[],
  deeds: readonly Deed[],
  now: WallMs,
): HandledLetters | null {
  const archived = new Set(deeds.flatMap(({ act, done, about }) => (act === 'archive' && done ? [about] : [])));
  const senders = letters.flatMap(({ id, from }) => (archived.has(id) ? [from] : []));
  if (senders.length === 0) return before;
  const next = new Map(Object.entries(handledIn(before, now)));
  for (const sender of senders) next.set(sender, (next.get(sender) ?? 0) + 1);
  return { hour: hourOf(now), handled: Object.fromEntries([...next].slice(0, MAX_SENDERS)) };
}
