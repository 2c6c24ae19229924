/**
 * What an agent may bring about in the ledger by numbers (law 11). Work for a rig starts a session there, which is the operator's to
 * order: so an agent of that rig makes a few beads within an hour, and all others wait for the operator's yes. It is decided once, where
 * the bead comes to its rig, and is on record beside the bead.
 */
import { HELD_STATUSES, type Bead, type Official } from '../../machines/ledger/bead.ts';
import { holderOf } from '../../machines/ledger/changes.ts';
import { BEAD_BUDGET, MAX_HELD } from '../../machines/patrols/policy.ts';
import { polecatIn } from '../../machines/rigs/names.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { age } from '../ports/age.ts';
import type { AgentCaller } from './authority.ts';
import { newWrite } from './ids.ts';
import { beadsIn, evidenceOf, first, isWorkType } from './walk.ts';

type Wish = { readonly before: Bead | null; readonly after: Bead };
type Consent = Pick<Official, 'consent'>;

/** Who remembers what the agents of a rig made: polecats have many names. No session and no address has such a name. */
const authorOf = (rig: string): string => `beads/made/${rig}`;
const isForRig = ({ rig, isWisp, type }: Bead): boolean => rig !== '' && !isWisp && isWorkType(type);

/** What of it changes with this write, which the agent may make. */
export async function consentAfter(ledger: Ledger, caller: AgentCaller, { before, after }: Wish): Promise<Consent> {
  if (caller.leads === true || !isForRig(after)) return {};
  if (before !== null && isForRig(before) && before.rig === after.rig) {
    const isOther = before.title !== after.title || before.description !== after.description;
    // The yes was to other words.
    return before.official.consent === 'given' && isOther && holderOf(before) === null ? { consent: 'asked' } : {};
  }
  if (polecatIn(caller.address)?.rig !== after.rig) return { consent: 'asked' };
  return { consent: (await isSpent(ledger, after)) ? 'asked' : 'budget' };
}

async function isSpent(ledger: Ledger, { id, rig }: Bead): Promise<boolean> {
  const { count, withinMs } = BEAD_BUDGET;
  const [author, now] = [authorOf(rig), Date.now()];
  const oldest = (await first(evidenceOf(ledger, author, count), count))[count - 1];
  if (oldest !== undefined && age(oldest.at, now) < withinMs) return true;
  await ledger.addEvidence({ id: newWrite(), author, kind: 'made', text: id, at: now });
  await ledger.forgetEvidence(author, now - withinMs);
  return false;
}

/** Why this agent may not take this bead onto its hook beside those that it has; null = it may, or it does not take one. */
export async function tooManyHeld(
  ledger: Ledger,
  caller: AgentCaller,
  { before, after }: Wish,
): Promise<string | null> {
  const holder = holderOf(after);
  if (caller.leads === true || holder === null || (before !== null && holderOf(before) === holder)) return null;
  const held = beadsIn(ledger, { assignee: holder, statuses: HELD_STATUSES });
  const has = (await first(held, MAX_HELD)).length;
  return has < MAX_HELD ? null : `it has ${String(has)} beads already`;
}
