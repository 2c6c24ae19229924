/** The functions of the verbs of `bd` that only look. */
import { BEAD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { BeadQuery, Comment, Ledger } from '../../../state/ledger/port.ts';
import { first, firstOf, openBlockers, ready as readyIn } from '../../ledger/walk.ts';
import { statusesOf } from '../commands/beads.ts';
import { given as only } from '../naming/given.ts';
import type { Listed, Version } from './answers.ts';
import { commas, issueCalled, type Desk, type Words } from './asking.ts';
import type { Given } from './options.ts';
import { listedIssues, whole } from './shapes.ts';

function queryOf({ status, assignee, label, labels, type, wisp, ephemeral, all, unassigned }: Given): BeadQuery {
  const wanted = commas(label, labels);
  return {
    ...(status !== undefined && status !== 'all' && { statuses: statusesOf([status]) }),
    ...((all === true || status === 'all') && { statuses: BEAD_STATUSES }),
    ...(wanted.length > 0 && { labels: wanted }),
    ...only({ type, assignee: unassigned === true ? '' : assignee }),
    ...((wisp === true || ephemeral === true) && { isWisp: true }),
  };
}

const listed = async (ledger: Ledger, beads: readonly Bead[]): Promise<Listed> => ({
  beads,
  issues: await listedIssues(ledger, beads),
});

export async function list({ ledger }: Desk, _: Words, given: Given): Promise<Listed> {
  return listed(ledger, await firstOf((page) => ledger.list(queryOf(given), page), given.limit ?? LEDGER.page));
}

export async function ready({ ledger }: Desk, _: Words, given: Given): Promise<Listed> {
  const { statuses: __, ...query } = queryOf(given);
  return listed(ledger, await first(readyIn(ledger, query), given.limit ?? LEDGER.page));
}

export async function listBlocked({ ledger }: Desk): Promise<{ bead: Bead; by: string[] }[]> {
  const open = await firstOf((page) => ledger.list({}, page), Infinity);
  const waiting: { bead: Bead; by: string[] }[] = [];
  for (const bead of open.filter(({ dependencies }) => dependencies.length > 0)) {
    const by = await openBlockers(ledger, bead);
    if (by.length > 0) waiting.push({ bead, by });
  }
  return waiting;
}

export async function show({ ledger }: Desk, ids: Words): Promise<Listed> {
  const beads = await ledger.beads(ids);
  return { beads, issues: await Promise.all(beads.map((bead) => whole(ledger, bead))) };
}

export async function comments({ ledger }: Desk, [id = '']: Words): Promise<readonly Comment[]> {
  const { id: beadId } = await issueCalled(ledger, id);
  return firstOf((page) => ledger.comments(beadId, page), Infinity);
}

/** The newest change first. */
export async function wisps({ ledger }: Desk, _: Words, { all }: Given): Promise<readonly Bead[]> {
  const query: BeadQuery = { isWisp: true, ...(all === true && { statuses: BEAD_STATUSES }) };
  const found = await firstOf((page) => ledger.list(query, page), Infinity);
  return found.toSorted((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt));
}

export async function ping({ ledger, openingMs }: Desk): Promise<{ storeMs: number; queryMs: number }> {
  const began = performance.now();
  await ledger.list({}, { limit: 1 });
  return { storeMs: Math.round(openingMs), queryMs: Math.round(performance.now() - began) };
}

/** The version whose answers these are. */
export const version = (): Version => ({ version: '1.0.5', build: 'townwatch', branch: 'townwatch' });
