/** `town bead update|close|reopen|hook|unhook|dep|squash`: what becomes of work. Each is one conditional write. */
import { isDeepStrictEqual } from 'node:util';
import { blockersOf, isBlocking, trackedBy, type Bead } from '../../../machines/ledger/bead.ts';
import {
  close,
  hook,
  isAtWork,
  reopen,
  unhook,
  withDependency,
  withoutDependency,
  withStatus,
  type Change,
} from '../../../machines/ledger/changes.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { FAILED } from '../../ledger/attempts.ts';
import type { Squashed } from '../../ledger/squash.ts';
import { leadsTo, openBlockers } from '../../ledger/walk.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { agentCalled, assigneeCalled, assigneeSought } from '../naming/agents.ts';
import { given } from '../naming/given.ts';
import { actorOf, beadCalled, change, mustBeYours, noBead, now, pairsOf, withLedger } from '../asking/ledger.ts';
import { mustBeRig } from '../asking/yard.ts';
import { quoteName } from '../naming/names.ts';
import { beadView, dependencyOf, statusesOf } from './beads.ts';

/** The changed bead; throws Failure (5) with a sentence for the caller if the change was refused. */
function must(bead: Bead, made: Change): Bead {
  if (made.ok) return made.bead;
  const by = clean(made.by);
  const why = {
    taken: `${bead.id} is ${bead.status} by ${by}; \`town bead unhook ${bead.id}\` takes it off that hook`,
    closed: `${bead.id} is closed; open it again with \`town bead reopen ${bead.id}\``,
    free: `${bead.id} is ${bead.status} and hangs on no hook; see \`town bead show ${bead.id}\``,
  }[made.is];
  throw new Failure(EXIT.refused, made.is, why);
}

const answer = (context: Context, bead: Bead, text: string): void =>
  context.answer('bead', beadView(bead), `${bead.id} ${text}`);

/** Changes one bead for a caller that may write in its own name. */
async function changed(context: Context, word: string, decide: (bead: Bead, at: string) => Bead): Promise<Bead> {
  await actorOf(context, undefined);
  const at = now();
  return withLedger(context, (ledger) => change(ledger, word, (bead) => decide(bead, at)));
}

export async function hookTo(context: Context, word: string, named: string): Promise<void> {
  const agent = await agentCalled(context, named);
  const bead = await changed(context, word, (one, at) => must(one, hook(one, agent, at)));
  answer(context, bead, `hangs on the hook of ${clean(agent)}`);
}

export async function takeOff(context: Context, word: string, named: string | undefined): Promise<void> {
  const agent = named === undefined ? null : await assigneeSought(context, named);
  const bead = await changed(context, word, (one, at) => must(one, unhook(one, agent, at)));
  answer(context, bead, 'is open again, and unassigned');
}

export interface UpdateOptions {
  readonly status?: string;
  readonly title?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly assignee?: string;
  readonly type?: string;
  readonly rig?: string;
  readonly addLabel: readonly string[];
  readonly removeLabel: readonly string[];
  readonly metadata: readonly string[];
  readonly unset: readonly string[];
}

/** The bead with the options' fields; a closed one is closed by `town bead close` alone, which looks at what it waits for. */
export function updateBead(bead: Bead, options: UpdateOptions, at: string): Bead {
  const { title, description, priority, assignee, type, rig } = options;
  const [status] = options.status === undefined ? [] : statusesOf([options.status]);
  // Work that its agent gives back is open for the next.
  const next = status ?? (assignee === '' && isAtWork(bead) ? 'open' : bead.status);
  const moved = next === bead.status ? bead : withStatus(bead, next, at);
  const labels = [...new Set([...bead.labels, ...options.addLabel])];
  const metadata = { ...bead.metadata, ...pairsOf(options.metadata, '--metadata') };
  return {
    ...moved,
    ...given({ title, description, priority, assignee, type, rig }),
    labels: labels.filter((label) => !options.removeLabel.includes(label)),
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !options.unset.includes(key))),
    updatedAt: at,
  };
}

const assigned = async (context: Context, options: UpdateOptions, word: string): Promise<UpdateOptions> => ({
  ...options,
  assignee: await assigneeCalled(context, word),
});

export async function update(context: Context, word: string, options: UpdateOptions): Promise<void> {
  const { addLabel, removeLabel, metadata, unset, ...fields } = options;
  if (
    Object.keys(fields).length === 0 &&
    [addLabel, removeLabel, metadata, unset].every(({ length }) => length === 0)
  ) {
    const text = `nothing to change was given; write what, as in: town bead update ${quoteName(word)} --priority 1`;
    throw new Failure(EXIT.usage, 'no_change', text);
  }
  await mustBeRig(context, options.rig);
  const wanted = options.assignee === undefined ? options : await assigned(context, options, options.assignee);
  let isChanged = true as boolean;
  const bead = await changed(context, word, (one, at) => {
    const next = updateBead(one, wanted, at);
    isChanged = !isDeepStrictEqual(next, { ...one, updatedAt: at });
    // An agent that may not change it is refused also where nothing would be changed.
    return next;
  });
  answer(context, bead, isChanged ? 'is changed' : 'is as it was: it had these values already, and nothing to remove');
}

/** Throws Failure (5) for a bead that waits for open ones. */
export async function closeBead(
  ledger: Ledger,
  word: string,
  { reason, force }: { reason: string; force: boolean },
): Promise<Bead> {
  const bead = await beadCalled(ledger, word);
  const open = force ? [] : await openBlockers(ledger, bead);
  if (open.length > 0) {
    const text = `${bead.id} waits for ${open.join(', ')}, which is open; close that first, or add --force`;
    throw new Failure(EXIT.refused, 'blocked', text);
  }
  const at = now();
  return change(ledger, bead.id, (one) => close(one, reason, at));
}

export async function closeAll(
  context: Context,
  words: readonly string[],
  options: { reason?: string; force?: boolean },
): Promise<void> {
  await actorOf(context, undefined);
  const { reason = 'Closed', force = false } = options;
  const beads = await withLedger(context, async (ledger) => {
    const closed: Bead[] = [];
    for (const word of words) closed.push(await closeBead(ledger, word, { reason, force }));
    return closed;
  });
  context.answer('beads', beads.map(beadView), () => beads.map(({ id }) => `${id} is closed`));
}

export async function reopenBead(context: Context, word: string): Promise<void> {
  const bead = await changed(context, word, (one, at) => {
    const why = whyNotReopened(one);
    if (why === null) return reopen(one, at);
    throw new Failure(EXIT.refused, 'not_closed', why);
  });
  answer(context, bead, `is ${bead.status}`);
}

/** null = it is closed, or open already. */
export function whyNotReopened(bead: Bead): string | null {
  const { id, status, labels, assignee } = bead;
  if (status === 'closed' || status === 'open') return null;
  const next = labels.includes(FAILED) ? `town deacon redispatch ${id}` : `town bead update ${id} ${giveOut(bead)}`;
  const by = assignee === '' ? '' : ` by ${clean(assignee)}`;
  return `${id} is not closed: it is ${status}${by}; to have it done again: ${next}`;
}

const giveOut = (bead: Bead): string => (isAtWork(bead) ? '--assignee ""' : '--status open --assignee ""');

/** What a link of a type says of a bead; `linksOf`: those that may make no circle, null = these may. */
function sayingsOf(type: string) {
  if (type === 'tracks') return { may: 'follow', does: 'follows', linksOf: trackedBy };
  return isBlocking(type)
    ? { may: 'wait for', does: 'waits for', linksOf: blockersOf }
    : { may: 'have a link to', does: 'has a link to', linksOf: null };
}

/** Throws Failure (5). */
async function mustMakeNoCircle(ledger: Ledger, { id }: Bead, other: string, type: string): Promise<void> {
  const { may, does, linksOf } = sayingsOf(type);
  if (id === other) throw new Failure(EXIT.refused, 'circle', `${id} cannot ${may} itself; name another bead`);
  if (linksOf === null || !(await leadsTo(ledger, [other, id], linksOf))) return;
  const text = `${id} cannot ${may} ${other}, which ${does} it already; see \`town bead dep list ${other}\``;
  throw new Failure(EXIT.refused, 'circle', text);
}

/** `later` waits for each of `earlier`, or follows it. Throws Failure: 2 for what is not there, 5 for a circle; then none is added. */
export async function addDependencies(
  ledger: Ledger,
  later: string,
  earlier: readonly string[],
  { type, by }: { type: string; by: string },
): Promise<Bead> {
  const one = await beadCalled(ledger, later);
  const ids: string[] = [];
  for (const word of earlier) ids.push((await beadCalled(ledger, word)).id);
  for (const id of ids) await mustMakeNoCircle(ledger, one, id, type);
  const at = now();
  return change(ledger, one.id, (bead) =>
    ids.reduce((before, id) => withDependency(before, { ...dependencyOf(id, by, at), type }, at), bead),
  );
}

export async function depAdd(
  context: Context,
  later: string,
  earlier: string,
  { type = 'blocks' }: { type?: string },
): Promise<void> {
  const by = await actorOf(context, undefined);
  const bead = await withLedger(context, (ledger) => addDependencies(ledger, later, [earlier], { type, by }));
  answer(context, bead, `now ${type === 'blocks' ? 'waits for' : `has the link ${clean(type)} to`} ${clean(earlier)}`);
}

export async function depRemove(context: Context, later: string, earlier: string): Promise<void> {
  const bead = await changed(context, later, (one, at) => {
    const without = withoutDependency(one, earlier, null, at);
    if (without !== one) return without;
    const text = `${one.id} has no link to ${quoteName(earlier)}; see \`town bead dep list ${one.id}\``;
    throw new Failure(EXIT.usage, 'unknown_dependency', text);
  });
  answer(context, bead, `no longer waits for ${clean(earlier)}`);
}

export async function depList(context: Context, word: string): Promise<void> {
  const { links, beads } = await withLedger(context, async (ledger) => {
    const bead = await beadCalled(ledger, word);
    const found = await ledger.beads(bead.dependencies.map(({ on }) => on));
    return { links: bead.dependencies, beads: found };
  });
  const rows = links.map(({ on, type }) => {
    const bead = beads.find(({ id }) => id === on);
    return { id: on, type, status: bead?.status ?? 'missing', title: bead?.title ?? '' };
  });
  const cells = ({ id, type, status, title }: (typeof rows)[number]): string[] => [type, id, status, title];
  const text = listing(rows, 'it waits for nothing', ['TYPE', 'ID', 'STATUS', 'TITLE'], cells);
  context.answer('dependencies', rows, text);
}

/** A digest has an id of the town's; whose wisps go is asked before. Throws Failure (5). */
export async function squashIn(
  context: Context,
  town: Ledger,
  words: readonly string[],
  wanted: { readonly summary: string | undefined; readonly by: string },
): Promise<Squashed> {
  const { squashWisps } = await import('../../ledger/squash.ts');
  for (const bead of await town.beads([...new Set(words)])) await mustBeYours(context, bead);
  return squashWisps(town, words, { ...wanted, at: now() });
}

/** Throws Failure: 2 for what is not there, 5 for what is no wisp, or an open question. */
export async function squash(
  context: Context,
  words: readonly string[],
  { summary }: { summary?: string },
): Promise<void> {
  const by = await actorOf(context, undefined);
  const squashed = await withLedger(context, (_, town) => squashIn(context, town, words, { summary, by }));
  if (squashed.ok) {
    answer(context, squashed.digest, `holds what was left of ${words.length} wisps, which are gone`);
    return;
  }
  const { id } = squashed;
  if (squashed.is === 'missing') throw noBead(id);
  if (squashed.is === 'an open question') {
    const why = `${id} is an open question, and its asker waits; \`town questions\` shows it, \`town ack ${id}\` says that you saw it`;
    throw new Failure(EXIT.refused, 'open_question', why);
  }
  const text = `${id} is no wisp, and what is permanent is not squashed; close it with \`town bead close ${id}\``;
  throw new Failure(EXIT.refused, 'no_wisp', text);
}
