/** `town bead create|list|show|ready`: what work there is. Reads and writes the ledger itself, so that it works with the town down. */
import {
  BEAD_STATUSES,
  trackedBy,
  type Bead,
  type BeadStatus,
  type Dependency,
} from '../../../machines/ledger/bead.ts';
import type { BeadQuery, Ledger } from '../../../state/ledger/port.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { createBead } from '../../ledger/change.ts';
import { PREFIX } from '../../ledger/ids.ts';
import { issueOf, issueOfComment, type Issue } from '../../ledger/issue.ts';
import { textsOf } from '../../ledger/texts.ts';
import { beadsCalled, beadsIn, first, firstOf, isOfTown, openBlockers, ready, waitsOf } from '../../ledger/walk.ts';
import { when } from '../../journal/when.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, note } from '../../terminal/print.ts';
import { terminal } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { assigneeCalled, assigneeSought } from '../naming/agents.ts';
import { given } from '../naming/given.ts';
import { actorOf, beadCalled, beadTable, noBead, now, pairsOf, orDash, withLedger } from '../asking/ledger.ts';
import { mustBeRig } from '../asking/yard.ts';
import { quoteName } from '../naming/names.ts';

export interface CreateOptions {
  readonly type?: string;
  readonly priority?: number;
  readonly description?: string;
  readonly label: readonly string[];
  readonly assignee?: string;
  readonly wisp?: true | string;
  readonly dep: readonly string[];
  readonly metadata: readonly string[];
  readonly rig?: string;
  readonly prefix?: string;
  readonly actor?: string;
}

/** As programs get it: what `bd` says of it, and its version. */
export const beadView = (bead: Bead): Issue => ({ ...issueOf(bead), version: bead.version });

/** `blocks` unless it says otherwise: `tracks:tw-1`. */
export function dependencyOf(word: string, by: string, at: string): Dependency {
  const [, type = 'blocks', on = word] = /^([^:]+):(.+)$/.exec(word) ?? [];
  return { on, type, createdAt: at, createdBy: by, extra: {} };
}

/** Throws Failure (2) for the first that is not there. */
export async function mustBeThere(ledger: Ledger, ids: readonly string[]): Promise<Bead[]> {
  const found = await beadsCalled(ledger, ids);
  const missing = ids.find((id) => !found.some((bead) => bead.id === id));
  if (missing !== undefined) throw noBead(missing);
  return found;
}

export async function create(context: Context, title: string, options: CreateOptions): Promise<void> {
  const by = await actorOf(context, options.actor);
  const at = now();
  const { type, priority, description, wisp, rig, prefix = PREFIX } = options;
  await mustBeRig(context, rig);
  const assignee = options.assignee && (await assigneeCalled(context, options.assignee));
  const bead = await withLedger(context, async (ledger) => {
    const dependencies = options.dep.map((word) => dependencyOf(word, by, at));
    await mustBeThere(
      ledger,
      dependencies.map(({ on }) => on),
    );
    const fields = {
      title,
      createdBy: by,
      createdAt: at,
      labels: [...new Set(options.label)],
      dependencies,
      ...given({ type, priority, description, assignee, rig }),
      ...(wisp !== undefined && { isWisp: true, wispType: wisp === true ? '' : wisp }),
      metadata: pairsOf(options.metadata, '--metadata'),
    };
    return createBead(ledger, fields, { prefix, kind: wisp === undefined ? '' : 'wisp' });
  });
  if (bead.official.consent === 'asked') note(`${bead.id} waits until the operator says yes to it: town bead approve`);
  // A shell that puts it into a variable wants the id alone.
  const told = terminal() === null ? bead.id : `${bead.id} is there: ${clean(bead.title)}`;
  context.answer('bead', beadView(bead), told);
}

export interface ListOptions {
  /** Of `list` alone: ready work is open. */
  readonly status?: readonly string[];
  readonly assignee?: string;
  readonly label: readonly string[];
  readonly type?: string;
  readonly rig?: string;
  readonly wisp?: boolean;
  readonly all?: boolean;
  readonly limit?: number;
}

/** Throws Failure (2) for a status that there is not. */
export function statusesOf(words: readonly string[]): BeadStatus[] {
  return words
    .flatMap((word) => word.split(','))
    .map((word) => {
      const status = BEAD_STATUSES.find((one) => one === word);
      if (status !== undefined) return status;
      const text = `${quoteName(word)} is no status; write ${BEAD_STATUSES.join(', ')}`;
      throw new Failure(EXIT.usage, 'bad_status', text);
    });
}

export function queryOf({ status = [], assignee, label, type, rig, wisp, all }: ListOptions): BeadQuery {
  const statuses = statusesOf(status);
  return {
    ...(statuses.length > 0 ? { statuses } : all === true ? { statuses: BEAD_STATUSES } : {}),
    ...(label.length > 0 && { labels: label.flatMap((one) => one.split(',')) }),
    ...given({ assignee, type, rig }),
    ...(wisp === true && { isWisp: true }),
  };
}

interface Shown {
  readonly beads: readonly Bead[];
  readonly waits: ReadonlyMap<string, readonly string[]>;
  /** Some that only the town has a use for were left out. */
  readonly isHiding: boolean;
}

/** With the assignee by its address in full. */
const sought = async (context: Context, { assignee, ...more }: ListOptions): Promise<ListOptions> =>
  assignee === undefined ? more : { ...more, assignee: await assigneeSought(context, assignee) };

/** The beads, what each waits for, and a word on those that are not shown. */
function answerBeads(
  context: Context,
  name: string,
  { beads, waits, isHiding }: Shown,
  limit: number,
  none: string,
): void {
  const shownOnes = beads.slice(0, limit);
  const waitsFor = (bead: Bead): readonly string[] => waits.get(bead.id) ?? [];
  const views = shownOnes.map((bead) => ({ ...beadView(bead), waits_for: waitsFor(bead) }));
  const notes = [
    ...(beads.length > limit ? [`there are more than ${limit}; see them with --limit N`] : []),
    ...(isHiding ? ['what the town keeps for itself is left out; see it with --all'] : []),
  ];
  context.answer(name, views, () => [beads.length === 0 ? none : beadTable(shownOnes, waitsFor), ...notes].join('\n'));
}

export async function list(context: Context, options: ListOptions): Promise<void> {
  const { limit = LEDGER.page, all = false, wisp = false, label, type } = options;
  const query = queryOf(await sought(context, options));
  const showsAll = all || wisp || label.length > 0 || type !== undefined;
  let isHiding = false;
  const isShown = (bead: Bead): boolean => {
    if (showsAll || !isOfTown(bead)) return true;
    isHiding = true;
    return false;
  };
  const shown = await withLedger(context, async (ledger) => {
    const beads = await first(shownIn(beadsIn(ledger, query), isShown), limit + 1);
    return { beads, waits: await waitsOf(ledger, beads) };
  });
  answerBeads(context, 'beads', { ...shown, isHiding }, limit, 'no such beads');
}

async function* shownIn(beads: AsyncIterable<Bead>, isShown: (bead: Bead) => boolean): AsyncGenerator<Bead> {
  for await (const bead of beads) if (isShown(bead)) yield bead;
}

export async function listReady(context: Context, options: ListOptions & { unassigned?: boolean }): Promise<void> {
  const { limit = LEDGER.page, unassigned } = options;
  const query = queryOf(await sought(context, options));
  const beads = await withLedger(context, (ledger) =>
    first(ready(ledger, { ...query, ...(unassigned === true && { assignee: '' }) }), limit + 1),
  );
  const shown = { beads, waits: new Map<string, string[]>(), isHiding: false };
  answerBeads(context, 'beads', shown, limit, 'nothing is ready: all work is taken, done, or waits for other work');
}

function wholeText(bead: Bead, waitsFor: readonly string[], view: Issue): string {
  const about = [bead.status, `P${bead.priority}`, bead.type, ...(bead.isWisp ? ['wisp'] : [])].join(', ');
  const comments = (view['comments'] as readonly Issue[]).map(
    (one) => `  ${clean(String(one['author']))}, ${when(String(one['created_at']))}: ${clean(String(one['text']))}`,
  );
  const tracked = trackedBy(bead);
  return [
    `${bead.id}  ${clean(bead.title)}`,
    `  ${clean(about)}; ${bead.assignee === '' ? 'unassigned' : clean(bead.assignee)}; version ${bead.version}`,
    `  made by ${clean(bead.createdBy)} ${when(bead.createdAt)}, changed ${when(bead.updatedAt)}`,
    ...(bead.closedAt === '' ? [] : [`  closed ${when(bead.closedAt)}: ${orDash(bead.closeReason)}`]),
    ...(bead.labels.length === 0 ? [] : [`  labels: ${clean(bead.labels.join(', '))}`]),
    ...Object.entries(bead.metadata).map(([key, value]) => `  ${clean(key)} = ${clean(value)}`),
    ...(waitsFor.length === 0 ? [] : [`  waits for ${waitsFor.join(', ')}`]),
    ...(tracked.length === 0 ? [] : [`  tracks ${tracked.join(', ')}`]),
    ...(bead.description === '' ? [] : ['', clean(bead.description, 'lines')]),
    ...textsOf(bead).flatMap(({ head, text }) => ['', `${head}:`, clean(text, 'lines')]),
    ...(comments.length === 0 ? [] : ['', ...comments]),
  ].join('\n');
}

export async function show(context: Context, word: string): Promise<void> {
  const [bead, waitsFor, view] = await withLedger(context, async (ledger) => {
    const one = await beadCalled(ledger, word);
    const comments = await firstOf((page) => ledger.comments(one.id, page), LEDGER.maxPage);
    const onIt = { statuses: BEAD_STATUSES, dependsOn: one.id };
    const dependents = await firstOf((page) => ledger.list(onIt, page), LEDGER.maxPage);
    const links = { dependents: dependents.map(({ id }) => id), comments: comments.map(issueOfComment) };
    return [one, await openBlockers(ledger, one), { ...beadView(one), ...links }] as const;
  });
  context.answer('bead', view, () => wholeText(bead, waitsFor, view));
  if (bead.status !== 'closed') return;
  const { keptNotes } = await import('../asking/kept-branches.ts');
  (await keptNotes(context, bead)).forEach(note);
}
