/**
 * How many letters of each sender a witness handled in this hour (W-1), remembered as evidence. A cycle without letters reads and
 * writes nothing.
 */
import { z } from 'zod';
import { count, wall } from '../../../state/files/shapes.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { keptIn } from '../../ledger/kept.ts';
import { patrolOf } from './evidence.ts';
import { PATROL_HANDS } from '../policy.ts';
import { newestOf } from '../../ledger/walk.ts';

const KIND = 'letters';
const HOUR_MS = 60 * 60_000;
const KEPT = z.strictObject({ hour: wall, handled: z.record(z.string(), count) });

interface Budget {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
}

const hourOf = (now: number): number => now - (now % HOUR_MS);

export async function handledIn({ rig, ledger, now }: Budget): Promise<ReadonlyMap<string, number>> {
  const kept = keptIn(await newestOf(ledger, patrolOf(rig, KIND)), KEPT);
  return new Map(kept?.hour === hourOf(now) ? Object.entries(kept.handled) : []);
}

/** `senders`: of each letter that was handled in this cycle. */
export async function noteHandled(
  { rig, ledger, now }: Budget,
  before: ReadonlyMap<string, number>,
  senders: readonly string[],
): Promise<void> {
  if (senders.length === 0) return;
  const next = new Map(before);
  for (const sender of senders) next.set(sender, (next.get(sender) ?? 0) + 1);
  const handled = Object.fromEntries([...next].slice(0, PATROL_HANDS.maxSenders));
  const author = patrolOf(rig, KIND);
  const text = JSON.stringify({ hour: hourOf(now), handled });
  await ledger.addEvidence({ id: `${author}-${String(now)}`, author, kind: KIND, text, at: now });
}
