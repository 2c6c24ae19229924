/** How beads, comments and evidence are written: one connection, within a transaction of the caller. */
import { blockersOf, NOT_OFFICIAL, targetOf, type Bead } from '../../machines/ledger/bead.ts';
import type { Connection } from './connection.ts';
import { beadIn, WHOLE } from './known.ts';
import { LEDGER } from './policy.ts';
import type { Added, Put, WriteCondition } from './port.ts';
import { beadText, checkedBead, checkedWrite, officialText } from './schema.ts';

interface Stored {
  readonly bead: Bead;
  readonly writes: readonly string[];
}

function stored(connection: Connection, id: string): Stored | null {
  const row = connection.get(`SELECT ${WHOLE}, writes FROM beads WHERE id = ?`, id);
  return row === undefined ? null : { bead: beadIn(row), writes: JSON.parse(String(row['writes'])) as string[] };
}

const PUT = `INSERT INTO beads
    (id, version, writes, body, status, is_closed, type, priority, assignee, rig, is_wisp, newest, official,
     has_blockers)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, writes = excluded.writes, body = excluded.body,
    status = excluded.status, is_closed = excluded.is_closed, type = excluded.type, priority = excluded.priority,
    assignee = excluded.assignee, rig = excluded.rig, is_wisp = excluded.is_wisp, newest = excluded.newest, official = excluded.official,
    has_blockers = excluded.has_blockers`;

function store(connection: Connection, bead: Bead, before: Stored | null, writes: readonly string[]): void {
  const { id, status, type, priority, assignee, rig } = bead;
  const isClosed = Number(status === 'closed');
  const newest = -Date.parse(bead.createdAt);
  connection.run(
    PUT,
    id,
    bead.version,
    JSON.stringify(writes),
    beadText(bead),
    status,
    isClosed,
    type,
    priority,
    assignee,
    rig,
    Number(bead.isWisp),
    newest,
    officialText(bead.official),
    Number(blockersOf(bead).length > 0),
  );
  indexBy(connection, bead, before?.bead ?? null);
}

/** What is looked up by label and by dependency, where that changed. */
function indexBy(connection: Connection, bead: Bead, before: Bead | null): void {
  const labelsOf = ({ labels, status }: Bead) => JSON.stringify([labels, status === 'closed']);
  if (before === null || labelsOf(before) !== labelsOf(bead)) {
    if (before !== null) connection.run('DELETE FROM labels WHERE bead = ?', bead.id);
    for (const label of bead.labels)
      connection.run('INSERT INTO labels VALUES (?, ?, ?)', label, Number(bead.status === 'closed'), bead.id);
  }
  const targetsOf = ({ dependencies }: Bead) => [...new Set(dependencies.map(targetOf))];
  if (before === null || JSON.stringify(targetsOf(before)) !== JSON.stringify(targetsOf(bead))) {
    if (before !== null) connection.run('DELETE FROM links WHERE bead = ?', bead.id);
    for (const target of targetsOf(bead)) connection.run('INSERT INTO links VALUES (?, ?)', target, bead.id);
  }
}

export function checkedPut(given: Bead, { write, official }: WriteCondition): Bead {
  const bead = checkedBead(given);
  beadText(bead);
  checkedWrite(write);
  if (official !== undefined) officialText(official);
  return bead;
}

export function putOne(connection: Connection, bead: Bead, { expects, write, official }: WriteCondition): Put {
  const before = stored(connection, bead.id);
  if (before?.writes.includes(write) === true) return { is: 'done', bead: before.bead };
  const version = before?.bead.version ?? 0;
  if (version !== expects) return { is: 'conflict', bead: before?.bead ?? null };
  const kept = before?.bead.official ?? NOT_OFFICIAL;
  const next = { ...bead, official: official ?? kept, version: version + 1 };
  store(connection, next, before, [...(before?.writes ?? []), write].slice(-LEDGER.keptWrites));
  return { is: 'done', bead: next };
}

/** Writes a thing that never changes, by its id. */
export function add(
  connection: Connection,
  table: 'comments' | 'evidence',
  row: readonly [string, string, number, string],
): Added {
  const [id, , , body] = row;
  const known = connection.get(`SELECT body FROM ${table} WHERE id = ?`, id);
  if (known !== undefined) return known['body'] === body ? 'stored' : 'conflict';
  connection.run(`INSERT INTO ${table} VALUES (?, ?, ?, ?)`, ...row);
  if (table === 'evidence') {
    const [, author, at] = row;
    const newer =
      'ON CONFLICT (author) DO UPDATE SET at = excluded.at, id = excluded.id WHERE (excluded.at, excluded.id) > (at, id)';
    connection.run(`INSERT INTO newest VALUES (?, ?, ?) ${newer}`, author, at, id);
  }
  return 'stored';
}
