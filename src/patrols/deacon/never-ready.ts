/**
 * Open work that can never become ready as it stands. One escalation stands while there is such work: it names how many links are at
 * fault and the first few of them. Another set of links replaces it, and it ends with its cause.
 */
import { z } from 'zod';
import { fingerprint } from '../../../state/files/checksum.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { times } from '../../../machines/kernel/span.ts';
import { closeBead } from '../../ledger/change.ts';
import { keptIn } from '../../ledger/kept.ts';
import { neverReady, neverReadyLines } from '../../ledger/never-ready.ts';
import { beadsIn, newestOf } from '../../ledger/walk.ts';
import { patrolOf } from '../memory/evidence.ts';
import type { Acting, Found } from './needs.ts';
import type { TownAct } from '../memory/outcome.ts';
import { PATROL_HANDS } from '../policy.ts';
import { tell, toldOf } from '../memory/told.ts';

const OF = 'deacon';
const ABOUT = 'never-ready/';
/** Acts that came to nothing, as an earlier version escalated them. */
const UNDONE = /^undone\/|^many\/undone$/;
const AUTHOR = patrolOf(OF, 'never-ready');
const SEEN = z.array(z.string());

export async function neverReadyRound(
  { ledger, doing }: Pick<Acting, 'ledger' | 'doing'>,
  now: number,
): Promise<Found> {
  const waiting = await Array.fromAsync(
    beadsIn(ledger, { statuses: ['open'], isWisp: false, hasBlockers: true, order: 'oldest' }),
  );
  const lines = neverReadyLines(await neverReady(ledger, waiting, LEDGER.maxSteps)).sort();
  const lasting = await lastingOf(ledger, lines.map(fingerprint), now);
  const stands = lines.filter((line) => lasting.has(fingerprint(line)));
  const about = stands.length === 0 ? null : `${ABOUT}${fingerprint(stands.join('\n'))}`;
  const acts: TownAct[] = [];
  const telling = { rig: OF, ledger, now };
  for (const { id, about: before } of await toldOf(telling)) {
    const text = whyOver(before, about);
    if (text === null) continue;
    await doing(`close ${id}`);
    await closeBead(ledger, id, text, now);
    acts.push({ act: 'close', about: id, done: true, text });
  }
  if (about === null) return { seen: waiting.length, acts };
  const text = `${times(stands.length, 'bead waits', 'beads wait')} for what can never be done`;
  const id = await tell(telling, { severity: 'medium', about, text, details: detailsOf(stands) });
  if (id !== null) acts.push({ act: 'tell', about: id, done: true, text });
  return { seen: waiting.length, acts };
}

/** Why an escalation that stood ends; null = it stays. `stands`: what the one of this round is about. */
function whyOver(before: string, stands: string | null): string | null {
  if (UNDONE.test(before)) return 'an alert of the patrol says it now';
  if (!before.startsWith(ABOUT) || before === stands) return null;
  return stands === null ? 'it is over' : 'other work can never become ready by now';
}

function detailsOf(stands: readonly string[]): string {
  const first = stands.slice(0, PATROL_HANDS.maxNamed);
  const more = stands.length - first.length;
  return [
    ...first,
    ...(more === 0 ? [] : [`… and ${times(more, 'more')}. To see them: town bead list --status open`]),
  ].join('\n');
}

/** Seen in the round before too: an import writes a bead before the one that it waits for. */
async function lastingOf(
  ledger: Acting['ledger'],
  found: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  const before = keptIn(await newestOf(ledger, AUTHOR), SEEN) ?? [];
  const kept = found.slice(0, PATROL_HANDS.maxNeverReady);
  const text = JSON.stringify(kept);
  if (text !== JSON.stringify(before))
    await ledger.addEvidence({ id: `${AUTHOR}-${String(now)}`, author: AUTHOR, kind: 'seen', text, at: now });
  return new Set(before.filter((one) => found.includes(one)));
}
