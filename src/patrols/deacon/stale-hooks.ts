/**
 * Hooked work as the Deacon's patrol sees it, and its removal from hooks without an agent. The session of an assignee
 * is looked up only if it matters.
 */
import { HELD_STATUSES } from '../../../machines/ledger/bead.ts';
import { leave } from '../../../machines/ledger/changes.ts';
import { isOld, staleHooks, type HookSeen } from '../../../machines/patrols/hooks.ts';
import type { PatrolPolicy } from '../../../machines/patrols/policy.ts';
import { addressOf, polecatIn, sessionOf, sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { RigRecords } from '../../../state/rigs/records.ts';
import { changeBead } from '../../ledger/change.ts';
import { beadsIn } from '../../ledger/walk.ts';
import type { Standing } from '../../rigs/sessions.ts';
import type { TownNeeds } from './needs.ts';
import { age } from '../../ports/age.ts';

type HookNeeds = Pick<TownNeeds, 'ledger' | 'standings'> & {
  readonly records: Pick<RigRecords, 'polecat' | 'polecats'>;
  readonly policy: PatrolPolicy;
};

export interface HooksFound {
  /** How many beads are on a hook. */
  readonly hooks: number;
  readonly stale: readonly HookSeen[];
}

/** By its full address: `<rig>/refinery` is none. */
function isPolecat(assignee: string): boolean {
  const name = polecatIn(assignee);
  return name !== null && addressOf(name) === assignee;
}

export async function staleHooksIn(
  { ledger, records, standings, policy }: HookNeeds,
  now: number,
): Promise<HooksFound> {
  const old: Omit<HookSeen, 'session'>[] = [];
  let hooks = 0;
  for await (const held of beadsIn(ledger, { statuses: HELD_STATUSES })) {
    const { id: bead, assignee, updatedAt } = held;
    // Started work counts as hooked only if a polecat holds it; another assignee may be a person.
    if (held.status !== 'hooked' && !isPolecat(assignee)) continue;
    hooks += 1;
    const one = { bead, assignee, hookedMs: age(Date.parse(updatedAt), now) };
    if (isOld(one, policy)) old.push(one);
  }
  if (old.length === 0) return { hooks, stale: [] };
  const seen: HookSeen[] = [];
  const known = new Set((await records.polecats()).found.map(sessionOf));
  let standing: ((name: string) => Standing) | null = null;
  for (const one of old) {
    const polecat = polecatIn(one.assignee);
    // An unreadable record makes the answer unknown: then this ends here.
    if (known.has(sessionOfAgent(one.assignee)) || (polecat !== null && (await records.polecat(polecat)) !== null))
      continue;
    standing ??= await standings();
    seen.push({ ...one, session: standing(sessionOfAgent(one.assignee)) });
  }
  return { hooks, stale: staleHooks(seen, policy) };
}

/** Why it is taken off, in words. */
export const whyStale = ({ assignee, session }: HookSeen): string =>
  session === 'none' ? `the town does not know ${assignee}` : `the session of ${assignee} has ended`;

/** Takes it from an agent that is gone, unless another has it by now. */
export async function freeHook(ledger: Ledger, { bead: id, assignee }: HookSeen, now: number): Promise<boolean> {
  const at = new Date(now).toISOString();
  const changed = await changeBead(ledger, id, (bead) => leave(bead, assignee, at));
  return changed !== null && changed.assignee === '' && changed.status !== 'hooked';
}
