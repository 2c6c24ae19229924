/**
 * Caches beads as they were read. A caller that asks for the same beads every few seconds reads only the version and
 * the last write of each, which no two states of a bead share. The found objects are shared: callers must not change
 * them.
 */
import type { Bead } from '../../machines/ledger/bead.ts';
import type { Connection, Row } from './connection.ts';
import { LEDGER } from './policy.ts';
import { beadOf } from './schema.ts';

/** The end of the list of its writes, which holds the last one's id. */
const MARK = "version || ':' || substr(writes, -40) AS mark";
export const MARKED = `id, octet_length(body) AS bytes, ${MARK}`;
export const WHOLE = 'id, version, body, official';

export const beadIn = ({ id, version, body, official }: Row): Bead =>
  beadOf(String(id), { json: String(body), official: String(official), version: Number(version) });

interface Kept {
  readonly mark: string;
  readonly bead: Bead;
  /** Bytes in memory, about. */
  readonly weight: number;
}

const SEPARATORS: ReadonlySet<number> = new Set([',', '[', '{'].map((sign) => sign.charCodeAt(0)));
const BYTES_PER_SIGN = 2;

/** At most what it takes as an object: a hostile bead is many small values. */
function weightOf({ body }: Row): number {
  const json = String(body);
  let values = 0;
  for (let at = 0; at < json.length; at += 1) if (SEPARATORS.has(json.charCodeAt(at))) values += 1;
  return json.length * BYTES_PER_SIGN + values * LEDGER.valueBytes;
}

/** The first of these rows of MARKED: as many as a page may have bytes, but at least one. */
export function fitting(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const past = rows.findIndex((row, nth) => (bytes += Number(row['bytes'])) > LEDGER.pageBytes && nth > 0);
  return past < 0 ? rows : rows.slice(0, past);
}

export class KnownBeads {
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  #weight = 0;
  #connection: Connection | null = null;

  /** `most`: bytes of what it keeps, about; 0 = nothing. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Those of these rows of MARKED, in their order. Within a transaction with what read the rows. */
  of(connection: Connection, rows: readonly Row[]): Bead[] {
    // Another file may count anew.
    if (connection !== this.#connection) for (const id of this.#kept.keys()) this.#forget(id);
    this.#connection = connection;
    const isNews = (row: Row): boolean => this.#kept.get(String(row['id']))?.mark !== row['mark'];
    const missing = rows.filter(isNews).map(({ id }) => id);
    const sql = `SELECT ${WHOLE}, ${MARK} FROM beads WHERE id IN (SELECT value FROM json_each(?))`;
    const read = missing.length === 0 ? [] : connection.all(sql, JSON.stringify(missing));
    const kept = (row: Row): Kept => ({ mark: String(row['mark']), bead: beadIn(row), weight: weightOf(row) });
    const fresh = new Map(read.map((row) => [String(row['id']), kept(row)]));
    const found = rows.flatMap(({ id }) => (fresh.get(String(id)) ?? this.#kept.get(String(id)))?.bead ?? []);
    this.#keep(fresh);
    return found;
  }

  /** The longest kept go first. */
  #keep(fresh: ReadonlyMap<string, Kept>): void {
    for (const [id, one] of fresh) {
      this.#forget(id);
      this.#kept.set(id, one);
      this.#weight += one.weight;
    }
    for (const id of this.#kept.keys()) {
      if (this.#weight <= this.#most) return;
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    this.#weight -= this.#kept.get(id)?.weight ?? 0;
    this.#kept.delete(id);
  }
}
