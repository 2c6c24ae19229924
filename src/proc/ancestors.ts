/** Ancestors in a list of processes. Pure. */
import type { Row } from './source.ts';

export type ByPid = ReadonlyMap<number, Row>;

export const byPidOf = (rows: readonly Row[]): ByPid => new Map(rows.map((row) => [row.pid, row]));

/** Pids above `pid`, nearest first. Bounded by the table, which may have been read while it changed. */
export function ancestorsOf(byPid: { get(pid: number): Row | null | undefined }, pid: number): number[] {
  const found: number[] = [];
  for (let at = byPid.get(pid)?.ppid ?? 0; at > 0 && !found.includes(at); at = byPid.get(at)?.ppid ?? 0) found.push(at);
  return found;
}

/** The process itself and those above it, nearest first, as far as the list has them. */
export const chainOf = (byPid: ByPid, row: Row): Row[] =>
  [row.pid, ...ancestorsOf(byPid, row.pid)].map((pid) => byPid.get(pid)).filter((one) => one !== undefined);
