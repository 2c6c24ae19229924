/**
 * The ledger in a file of this machine. Every call does its work before its promise is returned, so that it may block
 * its caller (a disk, another writer). Callers that must not block ask from a worker.
 */
import type { Bead } from '../../machines/ledger/bead.ts';
import { backUpOnline } from './backups.ts';
import { snapshot, type Connection, type Row } from './connection.ts';
import { LedgerFile, type Damage, type FileOptions } from './file.ts';
import { beadsWhere } from './filter.ts';
import { fitting, KnownBeads, MARKED } from './known.ts';
import { afterOf, checkedPage, pageFrom, pageOf, sortKeyOf, type SortKey } from './pages.ts';
import { LEDGER } from './policy.ts';
import type {
  Added,
  BeadQuery,
  Comment,
  Evidence,
  Ledger,
  Page,
  PageWanted,
  Put,
  PutWanted,
  Tally,
  WriteCondition,
} from './port.ts';
import { checkedComment, checkedEvidence } from './schema.ts';
import { checkedPut, putOne, add } from './writing.ts';

const bodyIn = (row: Row): unknown => JSON.parse(String(row['body']));

/** What fails, fails as a promise does. */
const settle = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));

export class SqliteLedger implements Ledger {
  readonly #file: LedgerFile;
  readonly #ms: number;
  readonly #known: KnownBeads;

  constructor(file: LedgerFile, known: KnownBeads, ms: number = LEDGER.callMs) {
    this.#file = file;
    this.#known = known;
    this.#ms = ms;
  }

  /** What was wrong with the file since it was opened; null = nothing. */
  get damage(): Damage | null {
    return this.#file.damage;
  }

  get hasWritten(): boolean {
    return this.#file.hasWritten;
  }

  beads(ids: readonly string[]): Promise<readonly Bead[]> {
    return this.#snapshot((c) => {
      const sql = `SELECT ${MARKED} FROM beads WHERE id IN (SELECT value FROM json_each(?))`;
      const found = new Map(c.all(sql, JSON.stringify(checkedPage(ids))).map((row) => [row['id'], row] as const));
      return this.#known.of(
        c,
        ids.map((id) => found.get(id)).filter((row) => row !== undefined),
      );
    });
  }

  list(query: BeadQuery, page: PageWanted): Promise<Page<Bead>> {
    return this.#snapshot((c) => {
      const after = afterOf(page, query.order === 'oldest' ? 2 : 3);
      const { sql, values } = beadsWhere(query, after, page.limit, MARKED);
      const found = c.all(sql, ...values);
      const rows = fitting(found.slice(0, page.limit));
      return pageFrom(this.#known.of(c, rows), rows.length < found.length, (bead) => sortKeyOf(bead, query.order));
    });
  }

  ended(ids: readonly string[]): Promise<readonly string[]> {
    return this.#read((c) => {
      const sql = 'SELECT id FROM ended WHERE id IN (SELECT value FROM json_each(?))';
      return c.all(sql, JSON.stringify(checkedPage(ids))).map(({ id }) => String(id));
    });
  }

  async put(bead: Bead, condition: WriteCondition): Promise<Put> {
    const [put] = await this.putAll([{ bead, condition }]);
    return put as Put;
  }

  putAll(writes: readonly PutWanted[]): Promise<readonly Put[]> {
    return settle(() => {
      const checked = checkedPage(writes).map(({ bead, condition }) => ({
        bead: checkedPut(bead, condition),
        condition,
      }));
      return this.#file.write(this.#ms, (c) => checked.map(({ bead, condition }) => putOne(c, bead, condition)));
    });
  }

  remove(id: string, expects: number): Promise<Added> {
    return this.#write((c) => {
      const row = c.get('SELECT version, is_wisp FROM beads WHERE id = ?', id);
      if (row === undefined) return 'stored';
      if (row['version'] !== expects) return 'conflict';
      if (row['is_wisp'] === 1 && c.get('SELECT bead FROM links WHERE target = ?', id) !== undefined)
        c.run('INSERT OR IGNORE INTO ended VALUES (?)', id);
      c.run('DELETE FROM beads WHERE id = ?', id);
      for (const table of ['labels', 'links', 'comments']) c.run(`DELETE FROM ${table} WHERE bead = ?`, id);
      return 'stored';
    });
  }

  tallies(ids: readonly string[]): Promise<readonly Tally[]> {
    return this.#read((c) => {
      const count = (table: string, key: string, id: string): number =>
        Number(c.get(`SELECT count(*) AS n FROM ${table} WHERE ${key} = ?`, id)?.['n']);
      return checkedPage(ids).map((id) => ({
        dependents: count('links', 'target', id),
        comments: count('comments', 'bead', id),
      }));
    });
  }

  async comment(given: Comment): Promise<Added> {
    const [added] = await this.commentAll([given]);
    return added as Added;
  }

  commentAll(given: readonly Comment[]): Promise<readonly Added[]> {
    return settle(() => {
      const checked = checkedPage(given).map(checkedComment);
      return this.#file.write(this.#ms, (c) =>
        checked.map((one) => add(c, 'comments', [one.id, one.beadId, Date.parse(one.createdAt), JSON.stringify(one)])),
      );
    });
  }

  comments(beadId: string, page: PageWanted): Promise<Page<Comment>> {
    return this.#read((c) => {
      const [at = Number.MIN_SAFE_INTEGER, id = ''] = afterOf(page, 2) ?? [];
      const sql = 'SELECT body FROM comments WHERE bead = ? AND (at, id) > (?, ?) ORDER BY at, id LIMIT ?';
      const found = c.all(sql, beadId, at, id, page.limit + 1).map(bodyIn) as Comment[];
      return pageOf(found, page.limit, (one): SortKey => [Date.parse(one.createdAt), one.id]);
    });
  }

  addEvidence(given: Evidence): Promise<Added> {
    return this.#write((c) => {
      const evidence = checkedEvidence(given);
      const { id, author, at } = evidence;
      return add(c, 'evidence', [id, author, at, JSON.stringify(evidence)]);
    });
  }

  forgetEvidence(author: string, before: number): Promise<number> {
    return this.#write((c) => {
      const old = c.all(OLD_EVIDENCE, author, before, LEDGER.maxPage);
      for (const { id } of old) c.run('DELETE FROM evidence WHERE id = ?', String(id));
      return old.length;
    });
  }

  newestEvidence(author: string, until?: number): Promise<Evidence | null> {
    return this.#read((c) => {
      if (until !== undefined) {
        const [found] = c.all(EVIDENCE, author, until + 1, '', 1);
        return found === undefined ? null : (bodyIn(found) as Evidence);
      }
      const row = c.get(`${NEWEST} WHERE newest.author = ?`, author);
      return row === undefined ? null : (bodyIn(row) as Evidence);
    });
  }

  newestOfEach(page: PageWanted): Promise<Page<Evidence>> {
    return this.#read((c) => {
      const [after = ''] = afterOf(page, 1) ?? [];
      const sql = `${NEWEST} WHERE newest.author > ? ORDER BY newest.author LIMIT ?`;
      const found = c.all(sql, after, page.limit + 1).map(bodyIn) as Evidence[];
      return pageOf(found, page.limit, ({ author }) => [author]);
    });
  }

  evidence(author: string, page: PageWanted, until?: number): Promise<Page<Evidence>> {
    return this.#read((c) => {
      const first = until === undefined ? Number.MAX_SAFE_INTEGER : until + 1;
      const [at = first, id = ''] = afterOf(page, 2) ?? [];
      const found = c.all(EVIDENCE, author, at, id, page.limit + 1).map(bodyIn) as Evidence[];
      return pageOf(found, page.limit, (one): SortKey => [one.at, one.id]);
    });
  }

  within(ms: number): SqliteLedger {
    return new SqliteLedger(this.#file, this.#known, ms);
  }

  /** A backup beside all who write meanwhile; resolves with its path. Rejects with LedgerFault. */
  backUp(wall: number): Promise<string> {
    return backUpOnline(this.#file.path, wall, this.#file.tag);
  }

  close(): void {
    this.#file.close();
  }

  #read<T>(work: (connection: Connection) => T): Promise<T> {
    return settle(() => this.#file.read(this.#ms, work));
  }

  #snapshot<T>(read: (connection: Connection) => T): Promise<T> {
    return this.#read((c) => snapshot(c, () => read(c)));
  }

  #write<T>(work: (connection: Connection) => T): Promise<T> {
    return settle(() => this.#file.write(this.#ms, work));
  }
}

const EVIDENCE = 'SELECT body FROM evidence WHERE author = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?';
const OLD_EVIDENCE =
  'SELECT id FROM evidence WHERE author = ? AND at < ? AND id NOT IN (SELECT id FROM newest) ORDER BY at LIMIT ?';
const NEWEST = 'SELECT evidence.body AS body FROM newest JOIN evidence ON evidence.id = newest.id';

/** The ledger of a root, made where there is none; `keeps`: bytes of beads as they were read. Throws LedgerFault. */
export function openLedger({ keeps = 0, ...options }: FileOptions & { readonly keeps?: number }): SqliteLedger {
  return new SqliteLedger(new LedgerFile(options), new KnownBeads(keeps));
}
