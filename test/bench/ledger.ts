/** What the ledger costs: a commit, the reads of a patrol among many beads, the newest evidence among a million, a backup; the commands. */
import type { DatabaseSync } from 'node:sqlite';
import { BEAD_STATUSES, newBead, type Bead } from '../../machines/ledger/bead.ts';
import { first, ready } from '../../src/ledger/walk.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import { figure, scaled, type Figure } from './figure.ts';
import { costsBesideBd } from './bd.ts';
import { fillLedger } from './fill.ts';
import { benchTown, besideNode, median, type BenchTown } from './town.ts';

const OPEN = 10_000;
const CLOSED = 1_000_000;
const EVIDENCE = 1_000_000;
const AUTHORS = 100;
const COMMITS = 300;
const ROUNDS = 50;
const COMMAND_ROUNDS = 7;
const BEGAN = Date.UTC(2026, 0, 1);

const beadOf = (n: number): Bead => {
  const isClosed = n >= OPEN;
  return newBead({
    id: `tw-b${n}`,
    title: `work ${n}`,
    description: 'x'.repeat(200),
    createdBy: 'mayor',
    createdAt: new Date(BEGAN + n * 1_000).toISOString(),
    priority: n % 5,
    rig: n % 2 === 0 ? 'shop' : 'bank',
    ...(isClosed && { status: 'closed', closedAt: new Date(BEGAN + n * 2_000).toISOString() }),
    ...(!isClosed && n % 100 === 0 && { status: 'hooked', assignee: `shop/polecats/p${n}` }),
    labels: n % 500 === 0 ? ['cleanup'] : [],
    ...(n % 3 === 0 &&
      !isClosed && {
        dependencies: [{ on: `tw-b${n + OPEN}`, type: 'blocks', createdAt: '', createdBy: '', extra: {} }],
      }),
  });
};

function addEvidence(database: DatabaseSync): void {
  const add = database.prepare('INSERT INTO evidence VALUES (?, ?, ?, ?)');
  const newest = database.prepare('INSERT OR REPLACE INTO newest VALUES (?, ?, ?)');
  for (let n = 0; n < EVIDENCE; n += 1) {
    const [id, author, at] = [`e-${n}`, `agent-${n % AUTHORS}`, BEGAN + n];
    add.run(id, author, at, JSON.stringify({ id, author, kind: 'note', text: 'tests pass', at }));
    if (n >= EVIDENCE - AUTHORS) newest.run(author, at, id);
  }
}

async function timed(rounds: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const began = performance.now();
    await work(n);
    all.push(performance.now() - began);
  }
  return median(all);
}

async function reads(ledger: SqliteLedger): Promise<Figure[]> {
  const page = { limit: 50 };
  const deep = JSON.stringify([Date.parse(beadOf(OPEN + CLOSED / 2).createdAt), '']);
  const whole = { limit: LEDGER.maxPage, after: deep };
  const agentOf = (n: number) => `shop/polecats/p${(n % 100) * 100}`;
  const all: readonly (readonly [what: string, most: number, read: (n: number) => Promise<unknown>])[] = [
    [
      `beads on hooks, among ${OPEN} open and ${CLOSED} closed beads`,
      5,
      () => ledger.list({ statuses: ['hooked'] }, page),
    ],
    ['… of one agent', 5, (n) => ledger.list({ statuses: ['hooked'], assignee: agentOf(n) }, page)],
    ['… by a label', 5, () => ledger.list({ labels: ['cleanup'] }, page)],
    [
      '… ready for dispatch, the oldest 20',
      5,
      () => first(ready(ledger, { rig: 'shop', assignee: '', order: 'oldest' }), 20),
    ],
    [
      '… held in a rig',
      5,
      () => ledger.list({ rig: 'shop', statuses: ['hooked', 'in_progress'], isWisp: false }, page),
    ],
    ['… ready in a rig that has nothing to do', 5, () => first(ready(ledger, { rig: 'idle', order: 'oldest' }), 20)],
    [
      `a page of ${LEDGER.maxPage} for an export, from the middle`,
      50,
      () => ledger.list({ statuses: BEAD_STATUSES, order: 'oldest' }, whole),
    ],
    [`newest evidence of an author among ${EVIDENCE}`, 1, (n) => ledger.newestEvidence(`agent-${n % AUTHORS}`)],
    [`… of each of ${AUTHORS} authors, in one page`, 5, () => ledger.newestOfEach({ limit: AUTHORS })],
  ];
  const figures: Figure[] = [];
  for (const [what, most, read] of all) figures.push(figure(what, await timed(ROUNDS, read), most, 'ms'));
  return figures;
}

/** On the ledger with all those beads, as a person waits for them. */
function commands({ town }: BenchTown): Figure[] {
  const time = (words: readonly string[]) => besideNode(COMMAND_ROUNDS, () => town(words).ms);
  return [
    scaled('`town bead create`, built', time(['bead', 'create', 'work']), 150),
    scaled('`town bead list`, built', time(['bead', 'list']), 150),
    scaled('`town bd ready --json`, built', time(['bd', 'ready', '--json']), 150),
    scaled('`town bd close`, built', time(['bd', 'close', `tw-b${OPEN - 1}`]), 150),
  ];
}

export async function measureLedger(): Promise<Figure[]> {
  const town = benchTown('');
  const at = { root: town.root, wall: Date.now };
  const ledger = openLedger(at);
  try {
    fillLedger(town.root, OPEN + CLOSED, beadOf, addEvidence);
    const created = await timed(COMMITS, (n) =>
      ledger.put({ ...beadOf(n), id: `tw-new-${n}` }, { expects: 0, write: `w-${n}` }),
    );
    const changed = await timed(COMMITS, (n) =>
      ledger.put({ ...beadOf(n), id: `tw-new-${n}`, assignee: 'nux' }, { expects: 1, write: `c-${n}` }),
    );
    const figures = await reads(ledger);
    const opened = await timed(1, async () => openLedger({ ...at, checkBytes: Infinity }).close());
    const backup = await timed(1, () => ledger.backUp(Date.now()));
    return [
      figure('commit of a new bead (on the disk)', created, 2, 'ms'),
      figure('… of a changed one', changed, 2, 'ms'),
      ...figures,
      figure('opened and looked through whole, as at the start of a town', opened / 1_000, 60, 's'),
      figure('backup beside writers, checked', backup / 1_000, 60, 's'),
      ...commands(town),
      ...(await costsBesideBd()),
    ];
  } finally {
    ledger.close();
    town.close();
  }
}
