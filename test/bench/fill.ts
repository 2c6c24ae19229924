/** Beads as the ledger writes them, in one transaction: by its own means each would be a commit. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { blockersOf, type Bead } from '../../machines/ledger/bead.ts';
import { FILES } from '../../state/files/layout.ts';
import { beadText } from '../../state/ledger/schema.ts';

/** `more` writes what else there is, before they are committed. */
export function fillLedger(
  root: string,
  count: number,
  beadOf: (n: number) => Bead,
  more: (database: DatabaseSync) => void = () => undefined,
): void {
  const database = new DatabaseSync(join(root, FILES.ledger));
  database.exec('BEGIN');
  const put = database.prepare(
    `INSERT INTO beads (id, version, writes, body, status, is_closed, type, priority, assignee, rig, is_wisp, newest, has_blockers)
     VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const label = database.prepare('INSERT INTO labels VALUES (?, ?, ?)');
  const link = database.prepare('INSERT INTO links VALUES (?, ?)');
  for (let n = 0; n < count; n += 1) {
    const bead = beadOf(n);
    const { id, status, type, priority, assignee, rig } = bead;
    const [isClosed, newest] = [Number(status === 'closed'), -Date.parse(bead.createdAt)];
    put.run(
      id,
      '[]',
      beadText(bead),
      status,
      isClosed,
      type,
      priority,
      assignee,
      rig,
      0,
      newest,
      Number(blockersOf(bead).length > 0),
    );
    for (const one of bead.labels) label.run(one, isClosed, id);
    for (const { on } of bead.dependencies) link.run(on, id);
  }
  more(database);
  database.exec('COMMIT');
  database.close();
}
