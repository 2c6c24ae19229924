/** The numbers of the ledger, with unit and reason. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const LEDGER = {
  /** A call that got no answer by then is refused: a commit takes 2 ms, so this is ten writers' pile-up and a slow disk. */
  callMs: 5 * SECOND,
  /** Opening may have to wait while another process migrates, backs up or restores the whole file. */
  openMs: 2 * MINUTE,
  /** Beads, comments or records of evidence of one answer, at most. */
  maxPage: 500,
  /** The page length if the caller gives none: as many as `bd` gives. */
  page: 50,
  /** A conditional write is tried anew after a conflict so often; ten writers at one bead need ten. */
  maxTries: 50,
  /** Ids of writes that a bead remembers, so that a repeated one is known: orders are repeated after a crash, not after ten others. */
  keptWrites: 10,
  /** Bytes of a page of beads as they are stored: 500 as people write them are one megabyte. A page has at least one bead. */
  pageBytes: 2_000_000,
  /** Bytes of the beads that a patrol keeps as it read them; 5,000 that wait are about 15 MB, and its thread has 256 MB. */
  keptBytes: 32_000_000,
  /** Bytes in memory of a value of a bead (a field, an item of a list), beside its text. */
  valueBytes: 64,
  /** As `bd`. */
  maxTitle: 500,
  /** Characters of a description, a comment, or a note of evidence. */
  maxText: 262_144,
  /** Characters of an escalation that counts what occurs again: the newest words. All are kept where they came from too. */
  maxRepeated: 8_192,
  /** Bytes of a whole bead as JSON: with what a store adds it fits into a message of a mebibyte, the usual limit of a remote one. */
  maxBytes: 1_000_000,
  /** Bytes of a line of an import: a bead with its comments. A longer one is skipped without being kept in memory. */
  maxLineBytes: 8_000_000,
  /** Levels of brackets in a line of an import; `bd` writes four. Deeper ones end programs that walk them. */
  maxDepth: 64,
  maxLabels: 256,
  /** Characters of a label, an assignee, a type, a key of metadata, or a name. */
  maxWord: 256,
  /** A convoy of more than these is several. */
  maxDependencies: 1_000,
  maxMetadata: 256,
  /** Of a gate: a century. What waits for longer waits for ever. */
  maxGateMs: 3_155_760_000_000,
  maxId: 128,
  /** Characters of the id of a write, a comment or a note: its author, what it is about, and when. */
  maxKey: 512,
  /** Links that are followed to find a circle or a blocked ancestor. */
  maxSteps: 10_000,
  /** Backups that are kept: the last hours and what stood before a migration. */
  maxBackups: 4,
  /** A file up to this is checked whole at every opening (20 ms); a larger one when the town starts, or when a page looks wrong. */
  checkBytes: 4_194_304,
  /** Random signs of an id: among 100,000 beads two meet once in 20,000 times, and then the second is drawn anew. */
  idLength: 6,
} as const;
