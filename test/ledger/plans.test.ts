/** What patrols ask the ledger every few seconds is found by an index of what is open: what was closed over the years costs nothing. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { BEAD_STATUSES, type BeadStatus } from '../../machines/ledger/bead.ts';
import { beadsWhere } from '../../state/ledger/filter.ts';
import type { BeadQuery } from '../../state/ledger/port.ts';
import { STEPS } from '../../state/ledger/tables.ts';

const database = new DatabaseSync(':memory:');
for (const step of STEPS) database.exec(step);
afterAll(() => database.close());

function planOf(query: BeadQuery, after: readonly (string | number)[] | null): string[] {
  const { sql, values } = beadsWhere(query, after, 50, 'id');
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return steps.map((step) => String(step['detail']));
}

const HELD: readonly BeadStatus[] = ['hooked', 'in_progress'];
const CLOSED: readonly BeadStatus[] = ['closed'];
const QUERIES: readonly (readonly [what: string, query: BeadQuery])[] = [
  ['all that is open', {}],
  ['everything on hooks', { statuses: ['hooked'] }],
  ['what a rig has in hand', { rig: 'shop', statuses: HELD, isWisp: false }],
  ['what a rig could begin', { rig: 'shop', statuses: ['open'], isWisp: false, order: 'oldest' }],
  ['what anybody could begin', { statuses: ['open'], isWisp: false, order: 'oldest' }],
  ['all that a rig ever had to do', { rig: 'shop', statuses: BEAD_STATUSES }],
  ['cleanups of a rig', { rig: 'shop', labels: ['cleanup'] }],
  ['what was told of one thing', { labels: ['gt:escalation', 'about:shop/x'] }],
  ['gates', { type: 'gate' }],
  ['cases to be decided', { type: 'triage_request', statuses: ['open', 'blocked'], order: 'oldest' }],
  ['cases that were decided', { type: 'triage_request', statuses: CLOSED }],
  ['the case before', { labels: ['triage', 'agent:nux'], statuses: CLOSED }],
  ['what an agent has in hand', { assignee: 'shop/polecats/nux', statuses: HELD }],
  ['what waits for other beads', { statuses: ['open'], isWisp: false, hasBlockers: true, order: 'oldest' }],
  ['wisps', { isWisp: true }],
];

/** Indexes over everything; those that begin with what is looked for are no walk. */
const WALKS = /^SCAN beads($| USING INDEX beads_(urgent|oldest)$)/;

test.each(QUERIES)('%s, also behind the first page', (_, query) => {
  const after = query.order === 'oldest' ? [0, 'b'] : [2, 0, 'b'];
  for (const plan of [planOf(query, null), planOf(query, after)])
    expect(plan).not.toContainEqual(expect.stringMatching(WALKS));
});

test('the look for what can never be ready reads nothing of what waits for nothing', () => {
  const waiting: BeadQuery = { statuses: ['open'], isWisp: false, hasBlockers: true, order: 'oldest' };
  expect(planOf(waiting, null)).toEqual([expect.stringMatching(/USING INDEX beads_waiting/)]);
});

test('SQLite finds beads by their ids, also where their status is asked for', () => {
  const some: BeadQuery = { ids: ['b-1', 'b-2'], statuses: BEAD_STATUSES };
  for (const order of ['urgent', 'oldest'] as const)
    expect(planOf({ ...some, order }, null)[0]).toMatch(
      /^SEARCH beads USING INDEX sqlite_autoindex_beads_1 \(id=\?\)$/,
    );
});

test('an export reads page after page in the order of its index', () => {
  const all: BeadQuery = { statuses: ['open', 'closed'], order: 'oldest' };
  expect(planOf(all, [0, 'b'])).toEqual([expect.stringMatching(/^SEARCH beads USING INDEX beads_oldest/)]);
});

test('of several labels only the last is gone through, however many beads have the others or the type', () => {
  const rare: BeadQuery = { labels: ['gt:triage', 'agent:nux'], type: 'triage_request', statuses: ['open', 'blocked'] };
  for (const statuses of [rare.statuses, CLOSED]) {
    const [beads, ...others] = planOf({ ...rare, ...(statuses && { statuses }) }, null);
    expect(beads).toMatch(/^SEARCH beads USING INDEX sqlite_autoindex_beads_1 \(id=\?\)$/);
    expect(others.filter((step) => step.startsWith('LIST SUBQUERY'))).toHaveLength(1);
    expect(others).toContainEqual(expect.stringMatching(/labels.*\(bead=\? AND label=\? AND is_closed=\?\)/));
  }
});
