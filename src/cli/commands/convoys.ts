/**
 * `town convoy …` and `town swarm …`: beads that follow a number of others by the link `tracks`. A convoy has landed, a swarm is
 * complete, when all of them are closed. A swarm is a wisp under its own name, with the labels that patrols look for.
 */
import { BEAD_STATUSES, trackedBy, type Bead } from '../../../machines/ledger/bead.ts';
import { close, withDependency } from '../../../machines/ledger/changes.ts';
import type { BeadQuery, Ledger } from '../../../state/ledger/port.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { isMaker } from '../../ledger/authority.ts';
import { createBead } from '../../ledger/change.ts';
import { madeBy, NOT_YOURS } from '../../ledger/doors.ts';
import { PREFIX } from '../../ledger/ids.ts';
import { startSwarm, swarmId } from '../../ledger/swarms.ts';
import { beadsCalled, firstOf } from '../../ledger/walk.ts';
import { times } from '../../../machines/kernel/span.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { actorOf, beadCalled, beadTable, change, noBead, now, signatureOf, withLedger } from '../asking/ledger.ts';
import { beadView, dependencyOf, mustBeThere } from './beads.ts';

export type Kind = 'convoy' | 'swarm';

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

/** Throws Failure (1) for a bead of another kind. */
async function called(ledger: Ledger, kind: Kind, word: string): Promise<Bead> {
  const id = kind === 'swarm' ? swarmId(word) : word;
  const [swarm] = await ledger.beads([id]);
  const bead = swarm ?? (await beadCalled(ledger, word));
  const isOne = kind === 'convoy' ? bead.type === 'convoy' : bead.labels.includes('swarm');
  if (isOne) return bead;
  throw new Failure(EXIT.failed, `no_${kind}`, `${bead.id} is no ${kind}; see \`town ${kind} list\``);
}

const trackingLinks = (ids: readonly string[], by: string, at: string) =>
  [...new Set(ids)].map((id) => dependencyOf(`tracks:${id}`, by, at));

/** Of convoys and swarms, which are on no hook. Throws Failure (5) where an agent calls that did not make it. */
async function mustBeMaker(context: Context, bead: Bead): Promise<void> {
  const { by: address, via, life } = await signatureOf(context);
  if (via === 'operator' || isMaker({ address, life }, bead)) return;
  const { id } = bead;
  const { made } = bead.official;
  const text = `${id} is not yours: ${made === null ? 'it is not on record who made it' : `${made.by}${made.by === address ? ', in an earlier life,' : ''} made it`}; write to overseer: town mail send`;
  throw new Failure(EXIT.refused, NOT_YOURS, text);
}

export async function createConvoy(context: Context, title: string, ids: readonly string[]): Promise<void> {
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

/** An existing swarm stays as it is: starting it twice makes one. */
export async function createSwarm(context: Context, name: string, ids: readonly string[]): Promise<void> {
  const by = await actorOf(context, undefined);
  const official = madeBy(await signatureOf(context));
  const made = await withLedger(context, async (_, ledger) => {
    const started = await startSwarm(ledger, { name, beads: ids, by, at: now(), official });
    if (started.is === 'started') return followed(ledger, started.bead);
    if (started.is === 'unknown') throw noBead(started.beads[0] ?? '');
    const text = `there is a swarm ${name} already; see \`town swarm show ${name}\``;
    throw new Failure(EXIT.refused, 'swarm_there', text);
  });
  context.answer('swarm', viewOf(made), `the swarm ${clean(name)} follows ${times(made.tracked.length, 'bead')}`);
}

export async function list(context: Context, kind: Kind, { all = false }: { all?: boolean }): Promise<void> {
  const query: BeadQuery = {
    ...(kind === 'convoy' ? { type: 'convoy' } : { labels: ['swarm'], isWisp: true }),
    ...(all && { statuses: BEAD_STATUSES }),
  };
  const found = await withLedger(context, async (ledger) => {
    const beads = await firstOf((page) => ledger.list(query, page), LEDGER.maxPage);
    return Promise.all(beads.map((bead) => followed(ledger, bead)));
  });
  const row = (one: Following): string[] => [
    one.bead.id,
    one.bead.status,
    `${closedOf(one)} of ${one.tracked.length}`,
    one.bead.title,
  ];
  const text = listing(found, `no ${kind}s`, ['ID', 'STATUS', 'CLOSED', 'TITLE'], row);
  context.answer(`${kind}s`, found.map(viewOf), text);
}

export async function show(context: Context, kind: Kind, word: string): Promise<void> {
  const one = await withLedger(context, async (ledger) => followed(ledger, await called(ledger, kind, word)));
  const { bead, tracked } = one;
  context.answer(kind, viewOf(one), () => [
    `${bead.id}  ${clean(bead.title)}: ${bead.status}, ${closedOf(one)} of ${tracked.length} closed`,
    ...(tracked.length === 0 ? [] : [beadTable(tracked)]),
  ]);
}

export async function add(context: Context, kind: Kind, word: string, ids: readonly string[]): Promise<void> {
  const by = await actorOf(context, undefined);
  const at = now();
  const one = await withLedger(context, async (_, ledger) => {
    const before = await called(ledger, kind, word);
    const { id } = before;
    await mustBeMaker(context, before);
    await mustBeThere(ledger, ids);
    const links = trackingLinks(ids, by, at);
    const changed = await change(ledger, id, (bead) =>
      links.reduce((before, link) => withDependency(before, link, at), bead),
    );
    return followed(ledger, changed);
  });
  context.answer(kind, viewOf(one), `${one.bead.id} follows ${times(one.tracked.length, 'bead')}`);
}

/** Throws Failure (5) while something that it follows is open. */
export async function closeOne(
  context: Context,
  kind: Kind,
  word: string,
  options: { reason?: string; force?: boolean },
): Promise<void> {
  await actorOf(context, undefined);
  const { reason = kind === 'convoy' ? 'landed' : 'complete', force = false } = options;
  const one = await withLedger(context, async (_, ledger) => {
    const before = await followed(ledger, await called(ledger, kind, word));
    await mustBeMaker(context, before.bead);
    const open = before.tracked.filter(({ status }) => status !== 'closed').map(({ id }) => id);
    if (!force && open.length > 0) {
      const text = `${before.bead.id} follows ${open.join(', ')}, which is open; close that first, or add --force`;
      throw new Failure(EXIT.refused, 'unfinished', text);
    }
    const at = now();
    return followed(ledger, await change(ledger, before.bead.id, (bead) => close(bead, reason, at)));
  });
  context.answer(kind, viewOf(one), `${one.bead.id} is closed`);
}
