/** Turns wisps closed long ago into lines of a digest: a closed bead that is read only on request. */
import type { PatrolPolicy } from '../../../machines/patrols/policy.ts';
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { times } from '../../../machines/kernel/span.ts';
import { squashWisps } from '../../ledger/squash.ts';
import { beadsIn } from '../../ledger/walk.ts';
import type { Acting, Found } from './needs.ts';
import type { TownAct } from '../memory/outcome.ts';
import { PATROL_HANDS } from '../policy.ts';
import { age } from '../../ports/age.ts';
import { forgetOldEvidence } from './old-evidence.ts';

const BY = 'deacon';
const { compactEveryMs: EVERY_MS, maxCompacted: MOST } = PATROL_HANDS;

/** A wisp about a gate or a case that is still open: it records that a person was notified. */
async function isNeeded(ledger: Ledger, { metadata }: Bead): Promise<boolean> {
  const related = metadata['related_bead'];
  const [about] = related === undefined ? [] : await ledger.beads([related]);
  return about !== undefined && about.status !== 'closed';
}

type Needs = Pick<Acting, 'ledger' | 'memory'> & {
  readonly settings: { readonly patrols: { readonly patrol: Pick<PatrolPolicy, 'compactMs'> } };
} & Partial<Pick<Acting, 'doing'>>;

/** `memory`: when it was looked for last (wall ms). */
export async function compactionRound({ ledger, settings, memory, doing }: Needs, now: number): Promise<Found> {
  const { compactMs } = settings.patrols.patrol;
  const [last] = memory.map(Number);
  if (last !== undefined && age(last, now) < Math.min(EVERY_MS, compactMs)) return { seen: 0, acts: [] };
  const old: string[] = [];
  const closed = { statuses: ['closed'], isWisp: true, order: 'oldest' } as const;
  for await (const bead of beadsIn(ledger, closed)) {
    if (old.length >= MOST || age(Date.parse(bead.createdAt), now) < compactMs) break;
    if (age(Date.parse(bead.closedAt), now) >= compactMs && !(await isNeeded(ledger, bead))) old.push(bead.id);
  }
  const acts: TownAct[] = [];
  const at = new Date(now).toISOString();
  if (old.length > 0) {
    const many = times(old.length, 'wisp');
    const summary = `${many} that ${old.length === 1 ? 'was' : 'were'} closed before ${at.slice(0, 10)}`;
    await doing?.(`compact ${many}`);
    const made = await squashWisps(ledger, old, { summary, by: BY, at });
    const text = made.ok ? `${summary}: ${made.digest.id}` : `${made.id} is ${made.is}`;
    acts.push({ act: 'compact', about: many, done: made.ok, text });
  }
  const isAllForgotten = await forgetOldEvidence(ledger, now);
  // More than a digest holds, or a look forgets: the next cycle goes on.
  return { seen: old.length, acts, ...(old.length < MOST && isAllForgotten && { memory: [String(now)] }) };
}
