/**
 * `town convoy …`: beads that follow a number of others by the link `tracks`. A convoy has landed when all of them are closed. A
 * swarm is a convoy that a SWARM_START letter began: a wisp under its own name, with the labels that a witness looks for.
 */
import { BEAD_STATUSES, trackedBy, type Bead } from '../../../machines/ledger/bead.ts';
import { close } from '../../../machines/ledger/changes.ts';
import type { BeadQuery, Ledger } from '../../../state/ledger/port.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { isMaker } from '../../ledger/authority.ts';
import { createBead } from '../../ledger/change.ts';
import { NOT_YOURS } from '../../ledger/doors.ts';
import { PREFIX } from '../../ledger/ids.ts';
import { swarmId } from '../../ledger/swarms.ts';
import { beadsCalled, firstOf } from '../../ledger/walk.ts';
import { times } from '../../../machines/kernel/span.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { actorOf, beadCalled, beadTable, change, now, signatureOf, withLedger } from '../asking/ledger.ts';
import { addDependencies } from './bead-changes.ts';
import { beadView, dependencyOf, mustBeThere } from './beads.ts';

type Following = Awaited<ReturnType<typeof followed>>;

const closedOf = ({ tracked }: Following): number => tracked.filter(({ status }) => status === 'closed').length;

const viewOf = (one: Following): object => ({
  ...beadView(one.bead),
  tracked: one.tracked.map(({ id, status, title, assignee }) => ({ id, status, title, assignee })),
  completed: closedOf(one),
  total: one.tracked.length,
});

async function followed(ledger: Ledger, bead: Bead) {
  return { bead, tracked: await beadsCalled(ledger, trackedBy(bead)) };
}

const isSwarm = ({ labels, isWisp }: Bead): boolean => isWisp && labels.includes('swarm');

/** The convoy with this id, or the swarm of this name. Throws Failure (2) for another bead. */
async function called(ledger: Ledger, word: string): Promise<Bead> {
  const [swarm] = await ledger.beads([swarmId(word)]);
  const bead = swarm ?? (await beadCalled(ledger, word));
  if (bead.type === 'convoy' || isSwarm(bead)) return bead;
  throw new Failure(EXIT.usage, 'no_convoy', `${bead.id} is no convoy; see \`town convoy list\``);
}

const trackingLinks = (ids: readonly string[], by: string, at: string) =>
  [...new Set(ids)].map((id) => dependencyOf(`tracks:${id}`, by, at));

/** A convoy is on no hook. Throws Failure (5) where an agent calls that did not make it. */
async function mustBeMaker(context: Context, bead: Bead): Promise<void> {
  const { by: address, via, life } = await signatureOf(context);
  if (via === 'operator' || isMaker({ address, life }, bead)) return;
  const { id } = bead;
  const { made } = bead.official;
  const text = `${id} is not yours: ${made === null ? 'it is not on record who made it' : `${made.by}${made.by === address ? ', in an earlier life,' : ''} made it`}; write to overseer: town mail send`;
  throw new Failure(EXIT.refused, NOT_YOURS, text);
}

export async function create(context: Context, title: string, ids: readonly string[]): Promise<void> {
  const by = await actorOf(context, undefined);
  const at = now();
  const made = await withLedger(context, async (ledger) => {
    await mustBeThere(ledger, ids);
    const dependencies = trackingLinks(ids, by, at);
    const given = { title, type: 'convoy', createdBy: by, createdAt: at, dependencies };
    return followed(ledger, await createBead(ledger, given, { prefix: PREFIX, kind: 'cv' }));
  });
  context.answer('convoy', viewOf(made), `${made.bead.id} follows ${times(made.tracked.length, 'bead')}`);
}

export async function list(context: Context, { all = false }: { all?: boolean }): Promise<void> {
  const statuses = all && { statuses: BEAD_STATUSES };
  const queries: BeadQuery[] = [
    { type: 'convoy', ...statuses },
    { labels: ['swarm'], isWisp: true, ...statuses },
  ];
  const found = await withLedger(context, async (ledger) => {
    const lists = queries.map((query) => firstOf((page) => ledger.list(query, page), LEDGER.maxPage));
    return Promise.all((await Promise.all(lists)).flat().map((bead) => followed(ledger, bead)));
  });
  const row = (one: Following): string[] => [
    one.bead.id,
    one.bead.status,
    `${closedOf(one)} of ${one.tracked.length}`,
    one.bead.title,
  ];
  const text = listing(found, 'no convoys', ['ID', 'STATUS', 'CLOSED', 'TITLE'], row);
  context.answer('convoys', found.map(viewOf), text);
}

export async function show(context: Context, word: string): Promise<void> {
  const one = await withLedger(context, async (ledger) => followed(ledger, await called(ledger, word)));
  const { bead, tracked } = one;
  context.answer('convoy', viewOf(one), () => [
    `${bead.id}  ${clean(bead.title)}: ${bead.status}, ${closedOf(one)} of ${tracked.length} closed`,
    ...(tracked.length === 0 ? [] : [beadTable(tracked)]),
  ]);
}

export async function add(context: Context, word: string, ids: readonly string[]): Promise<void> {
  const by = await actorOf(context, undefined);
  const one = await withLedger(context, async (_, ledger) => {
    const before = await called(ledger, word);
    await mustBeMaker(context, before);
    return followed(ledger, await addDependencies(ledger, before.id, ids, { type: 'tracks', by }));
  });
  context.answer('convoy', viewOf(one), `${one.bead.id} follows ${times(one.tracked.length, 'bead')}`);
}

/** Throws Failure (5) while something that it follows is open. */
export async function closeOne(
  context: Context,
  word: string,
  options: { reason?: string; force?: boolean },
): Promise<void> {
  await actorOf(context, undefined);
  const { reason = 'landed', force = false } = options;
  const one = await withLedger(context, async (_, ledger) => {
    const before = await followed(ledger, await called(ledger, word));
    await mustBeMaker(context, before.bead);
    const open = before.tracked.filter(({ status }) => status !== 'closed').map(({ id }) => id);
    if (!force && open.length > 0) {
      const text = `${before.bead.id} follows ${open.join(', ')}, which is open; close that first, or add --force`;
      throw new Failure(EXIT.refused, 'unfinished', text);
    }
    const at = now();
    return followed(ledger, await change(ledger, before.bead.id, (bead) => close(bead, reason, at)));
  });
  context.answer('convoy', viewOf(one), `${one.bead.id} is closed`);
}
