/**
 * Caches beads as they were read. A caller that asks for the same beads every few seconds reads only the version and
 * the last write of each, which no two states of a bead share. The found objects are shared: callers must not change
 * them.
 */
import type { Bead } from '../../machines/ledger/bead.ts';
import type { Connection, Row } from './connection.ts';
import { beadOf } from './schema.ts';

/** The end of the list of its writes, which holds the last one's id. */
const MARK = "version || ':' || substr(writes, -40) AS mark";
export const MARKED = `id, ${MARK}`;
export const WHOLE = 'id, version, body, official';

export const beadIn = ({ id, version, body, official }: Row): Bead =>
  beadOf(String(id), { json: String(body), official: String(official), version: Number(version) });

interface Kept {
  readonly mark: string;
  readonly bead: Bead;
}

export class KnownBeads {
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  #connection: Connection | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  /** Those of these rows of MARKED, in their order. Within a transaction with what read the rows. */
  of(connection: Connection, rows: readonly Row[]): Bead[] {
    // Another file may count anew.
    if (connection !== this.#connection) this.#kept.clear();
    this.#connection = connection;
    const isNews = (row: Row): boolean => this.#kept.get(String(row['id']))?.mark !== row['mark'];
    const missing = rows.filter(isNews).map(({ id }) => id);
    const sql = `SELECT ${WHOLE}, ${MARK} FROM beads WHERE id IN (SELECT value FROM json_each(?))`;
    const read = missing.length === 0 ? [] : connection.all(sql, JSON.stringify(missing));
    const fresh = new Map(read.map((row) => [String(row['id']), { mark: String(row['mark']), bead: beadIn(row) }]));
    const found = rows.flatMap(({ id }) => (fresh.get(String(id)) ?? this.#kept.get(String(id)))?.bead ?? []);
    this.#keep(fresh);
    return found;
  }

  /** The longest kept go first. */
  #keep(fresh: ReadonlyMap<string, Kept>): void {
    for (const [id, one] of fresh) {
      this.#kept.delete(id);
      this.#kept.set(id, one);
    }
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) return;
      this.#kept.delete(id);
    }
  }
}
