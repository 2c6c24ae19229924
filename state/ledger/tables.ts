/**
 * The tables of the ledger, as a list of steps: the schema's version is how many were made. A step is never changed once it
 * was released; a change is one more.
 */

/** `town`, in the header of the file: whose it is. */
export const APPLICATION = 0x74_6f_77_6e;

export const STEPS: readonly string[] = [
  `CREATE TABLE beads (
     id TEXT PRIMARY KEY, version INTEGER NOT NULL, writes TEXT NOT NULL, body TEXT NOT NULL,
     status TEXT NOT NULL, is_closed INTEGER NOT NULL, type TEXT NOT NULL, priority INTEGER NOT NULL,
     assignee TEXT NOT NULL, rig TEXT NOT NULL, is_wisp INTEGER NOT NULL, newest INTEGER NOT NULL);
   CREATE INDEX beads_urgent ON beads (priority, newest, id);
   CREATE INDEX beads_urgent_open ON beads (priority, newest, id) WHERE is_closed = 0;
   CREATE INDEX beads_oldest_open ON beads (newest DESC, id) WHERE is_closed = 0;
   CREATE INDEX beads_status ON beads (status, priority, newest, id) WHERE is_closed = 0;
   CREATE INDEX beads_assignee ON beads (assignee, is_closed, status) WHERE assignee <> '';
   CREATE INDEX beads_type ON beads (type, is_closed) WHERE type <> 'task';
   CREATE INDEX beads_wisp ON beads (is_closed) WHERE is_wisp = 1;
   CREATE TABLE labels (label TEXT NOT NULL, is_closed INTEGER NOT NULL, bead TEXT NOT NULL,
     PRIMARY KEY (label, is_closed, bead)) WITHOUT ROWID;
   CREATE INDEX labels_bead ON labels (bead);
   CREATE TABLE links (target TEXT NOT NULL, bead TEXT NOT NULL, PRIMARY KEY (target, bead)) WITHOUT ROWID;
   CREATE INDEX links_bead ON links (bead);
   CREATE TABLE comments (id TEXT PRIMARY KEY, bead TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE INDEX comments_bead ON comments (bead, at, id);
   CREATE TABLE evidence (id TEXT PRIMARY KEY, author TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL)
     WITHOUT ROWID;
   CREATE INDEX evidence_author ON evidence (author, at DESC, id DESC);
   CREATE TABLE newest (author TEXT PRIMARY KEY, at INTEGER NOT NULL, id TEXT NOT NULL) WITHOUT ROWID;`,
  // By age for all statuses, as an export reads; and per rig, however much the others have to do.
  `CREATE INDEX beads_oldest ON beads (newest DESC, id);
   CREATE INDEX beads_rig ON beads (rig, status, newest DESC, id) WHERE is_closed = 0 AND rig <> '';`,
  // What a rig ever had to do, also where it is little beside that of others; only for who asks for what is closed too.
  `CREATE INDEX beads_ever_of_rig ON beads (rig, priority, newest, id) WHERE rig <> '' AND is_closed IN (0, 1);`,
  // What only doors write, apart from the text of a bead, which any writer gives whole.
  `ALTER TABLE beads ADD COLUMN official TEXT NOT NULL DEFAULT '';`,
  // Beads that wait for others, for a look each round; and wisps that were removed. A missing wisp was always taken for one that is over.
  `ALTER TABLE beads ADD COLUMN has_blockers INTEGER NOT NULL DEFAULT 0;
   UPDATE beads SET has_blockers = 1 WHERE id IN (SELECT bead FROM links) AND EXISTS (
     SELECT 1 FROM json_each(beads.body, '$.dependencies') AS link
     WHERE json_extract(link.value, '$.type') IN ('blocks', 'conditional-blocks', 'waits-for'));
   CREATE INDEX beads_waiting ON beads (newest DESC, id) WHERE has_blockers = 1 AND is_closed = 0;
   CREATE TABLE ended (id TEXT PRIMARY KEY) WITHOUT ROWID;
   INSERT INTO ended SELECT DISTINCT target FROM links WHERE target LIKE '%-wisp-%' AND target NOT IN (SELECT id FROM beads);`,
];
