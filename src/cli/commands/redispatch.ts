/**
 * `town deacon redispatch`: gives out failed or resting work again, as if it had never been tried. Work with a holder
 * stays where it is.
 */
import type { Bead } from '../../../machines/ledger/bead.ts';
import { close, holderOf, withStatus } from '../../../machines/ledger/changes.ts';
import { LAST_ATTEMPT, REST_UNTIL } from '../../ledger/attempts.ts';
import { changeBead } from '../../ledger/change.ts';
import { ESCALATION, failedLabel } from '../../ledger/escalations.ts';
import { items } from '../../ledger/walk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { beadCalled, change, now, withLedger } from '../asking/ledger.ts';

const FAILED = 'failed';

function fresh(bead: Bead, at: string): Bead {
  const holder = holderOf(bead);
  if (bead.status === 'closed' || holder !== null) {
    const why = holder === null ? 'is closed' : `is on the hook of ${holder}`;
    const next = holder === null ? `town bead reopen ${bead.id}` : `town bead unhook ${bead.id}`;
    throw new Failure(EXIT.refused, 'not_failed', `${bead.id} ${clean(why)}, and was not changed; first: ${next}`);
  }
  const { [LAST_ATTEMPT]: _, [REST_UNTIL]: _rest, ...metadata } = bead.metadata;
  const labels = bead.labels.filter((label) => label !== FAILED);
  return { ...withStatus(bead, 'open', at), assignee: '', attempts: 0, labels, metadata };
}

/** Ends the alert that it had failed. */
async function endTold(ledger: Ledger, { id, rig }: Bead, at: string): Promise<void> {
  for await (const told of items((page) => ledger.list({ labels: [ESCALATION, failedLabel(rig, id)] }, page)))
    await changeBead(ledger, told.id, (one) => close(one, 'it is given out again', at));
}

/** Gives failed work out again; without a bead it lists failed work. */
export async function redispatch(context: Context, word: string | undefined): Promise<void> {
  if (word === undefined) return list(context);
  await mustBeOperator(context, 'town deacon redispatch');
  const at = now();
  const bead = await withLedger(context, async (ledger) => {
    const { id, attempts } = await beadCalled(ledger, word);
    const open = await change(ledger, id, (one) => fresh(one, at));
    await endTold(ledger, open, at);
    return { id, attempts, rig: open.rig };
  });
  context.answer('redispatched', bead, `${bead.id} is open again, and its ${bead.attempts} attempts are forgotten`);
}

async function list(context: Context): Promise<void> {
  const failed = await withLedger(context, async (ledger) => {
    const found: Bead[] = [];
    for await (const bead of items((page) => ledger.list({ labels: [FAILED] }, page))) found.push(bead);
    return found.map(({ id, title, rig, attempts, metadata }) => {
      return { id, title, rig, attempts, last_failure: metadata['last_failure'] ?? null };
    });
  });
  const row = (one: (typeof failed)[number]): string[] => [
    one.id,
    one.rig,
    `${one.attempts}`,
    one.last_failure ?? '',
    one.title,
  ];
  context.answer('failed-work', failed, listing(failed, 'no work has failed', COLUMNS, row));
}

const COLUMNS = [
  'BEAD',
  { head: 'RIG', drop: 2 },
  { head: 'ATTEMPTS', right: true, drop: 1 },
  { head: 'WHY', drop: 3 },
  'TITLE',
];
