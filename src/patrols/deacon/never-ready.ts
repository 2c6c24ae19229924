/**
 * Open work that can never become ready as it stands: how many links are at fault, and the first few of them. The round only claims
 * it; the alerts actor begins, changes and ends the one alert about it.
 */
import { times } from '../../../machines/kernel/span.ts';
import type { StepStands } from '../../../machines/protocol/patrols.ts';
import { fingerprint } from '../../../state/files/checksum.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { closeBead } from '../../ledger/change.ts';
import { ESCALATION, failedLabel } from '../../ledger/escalations.ts';
import { neverReady, neverReadyLines, waitOf, type NeverReady } from '../../ledger/never-ready.ts';
import { beadsIn, eachCalled } from '../../ledger/walk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { TownAct } from '../memory/outcome.ts';
import { olderOf } from '../memory/escalations.ts';
import { PATROL_HANDS } from '../policy.ts';
import type { Acting, Found } from './needs.ts';

type Needs = Pick<Acting, 'ledger' | 'doing' | 'memory'>;

const { maxNamed: NAMED, maxNeverReady: MOST } = PATROL_HANDS;
const MARK_SIGNS = 12;
const markOf = (line: string): string => fingerprint(line).slice(0, MARK_SIGNS);

/** `memory`: marks of what the round before saw. An import writes a bead before the one that it waits for: only what lasts counts. */
export async function neverReadyRound(needs: Needs, now: number): Promise<Found> {
  const { ledger } = needs;
  const acts = await endOlder(needs, now);
  const waiting = await Array.fromAsync(
    beadsIn(ledger, { statuses: ['open'], isWisp: false, hasBlockers: true, order: 'oldest' }),
    waitOf,
  );
  const found = await neverReady(ledger, waiting, LEDGER.maxSteps);
  const lines = neverReadyLines({ ...found, failed: await unasked(ledger, found.failed) }).sort();
  const memory = lines.slice(0, MOST).map(markOf);
  const before = new Set(needs.memory);
  const lasting = lines.filter((_, nth) => before.has(memory[nth] ?? '') || nth >= MOST);
  return { seen: waiting.length, acts, memory, stands: standing(lasting) };
}

/** Without those whose failure asks a person already: one question has one cause. */
async function unasked(ledger: Ledger, failed: NeverReady['failed']): Promise<NeverReady['failed']> {
  const asked = new Set<string>();
  for await (const { id, rig } of eachCalled(ledger, [...new Set(failed.map(({ on }) => on))])) {
    const { items } = await ledger.list({ labels: [ESCALATION, failedLabel(rig, id)] }, { limit: 1 });
    if (items.length > 0) asked.add(id);
  }
  return failed.filter(({ on }) => !asked.has(on));
}

function standing(lines: readonly string[]): StepStands {
  if (lines.length === 0) return {};
  const more = lines.length - NAMED;
  const named = [...lines.slice(0, NAMED), ...(more > 0 ? [`and ${String(more)} more`] : [])];
  return { '': `${times(lines.length, 'bead waits', 'beads wait')} for what can never be done. ${named.join('; ')}` };
}

/** What an earlier version escalated, of this or of acts that came to nothing, and a level says now. */
async function endOlder({ ledger, doing }: Needs, now: number): Promise<TownAct[]> {
  const text = 'an alert of the patrol says it now';
  const acts: TownAct[] = [];
  for (const id of await olderOf({ rig: 'deacon', ledger })) {
    await doing(`close ${id}`);
    await closeBead(ledger, id, text, now);
    acts.push({ act: 'close', about: id, done: true, text });
  }
  return acts;
}
