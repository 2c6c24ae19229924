/** `town deacon stale-hooks`: takes work off the hooks of absent agents, as the Deacon's patrol does. */
import { staleHooksIn, freeHook, whyStale } from '../../patrols/deacon/stale-hooks.ts';
import { listing } from '../../terminal/print.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { withLedger } from '../asking/ledger.ts';
import { recordsOf, standingsOf } from '../asking/yard.ts';

export async function freeStaleHooks(
  context: Context,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<void> {
  await mustBeOperator(context, 'town deacon stale-hooks');
  const { patrol: policy } = (await context.settings()).patrols;
  const records = await recordsOf(context);
  const data = await withLedger(context, async (ledger) => {
    const now = Date.now();
    const needs = { ledger, records, standings: () => standingsOf(context), policy };
    const { hooks, stale } = await staleHooksIn(needs, now);
    const found = [];
    for (const one of stale) {
      const unhooked = !dryRun && (await freeHook(ledger, one, now));
      found.push({ bead: one.bead, assignee: one.assignee, hooked_ms: one.hookedMs, why: whyStale(one), unhooked });
    }
    return { hooks, stale: found };
  });
  const { hooks, stale } = data;
  const row = (one: (typeof stale)[number]): string[] => [
    one.bead,
    one.assignee,
    one.unhooked ? 'unhooked' : 'left',
    one.why,
  ];
  const columns = ['BEAD', { head: 'HOOK OF', drop: 1 }, 'NOW', 'WHY'];
  context.answer('stale-hooks', data, listing(stale, `none of ${hooks} hooks is stale`, columns, row));
}
