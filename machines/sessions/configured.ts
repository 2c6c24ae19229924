/**
 * The agents of town.toml, compared with the records once they are read. What runs is left, whatever the file says by now.
 * 1. An agent without a record is started, one after the other; one that ended stays ended unless it is `permanent`, and
 *    always if its agent asked for its end itself (C-10) or an operator stopped it.
 * 2. A changed entry and a removed one are told to a person as episodes; nothing is started, stopped or replaced for it.
 */
import { uuidOf } from '../kernel/seeded-random.ts';
import type { SessionRecord, SessionSpec, Stamp } from '../protocol.ts';
import { isRetired, NOT_LIVE, type SessionsState, type Live, woken } from './state.ts';
import { renewRecord } from './lifecycle.ts';

const startsNow = (old: SessionRecord | undefined, { restart }: SessionSpec): boolean =>
  old === undefined || (old.state === 'ended' && restart === 'permanent' && !isRetired(old));

/** The keys in which an entry differs from what its record was started with. */
export function differences(one: SessionSpec, other: SessionSpec): string[] {
  const keys = ['command', 'dir', 'tags', 'restart'] as const;
  return keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}

/** The opened book with the wanted agents in it. */
export function takeAgents(book: SessionsState, opened: Partial<SessionsState>, now: Stamp): Partial<SessionsState> {
  const records: Record<string, SessionRecord> = { ...(opened.records ?? book.records) };
  const live: Record<string, Live> = { ...(opened.live ?? book.live) };
  const differing: string[] = [];
  let { starts } = book;
  for (const spec of book.agents) {
    const old = records[spec.name];
    if (old === undefined || startsNow(old, spec)) {
      const pending = uuidOf(book.entropy, `${spec.name}/configured/${starts}/${now.at}/${now.wall}`);
      const dueAt = now.at + (starts - book.starts) * book.policy.staggerMs;
      starts += 1;
      records[spec.name] = { ...renewRecord(old, spec, pending), configured: true };
      live[spec.name] = { ...NOT_LIVE, dueAt };
      continue;
    }
    if (old.configured !== true) records[spec.name] = { ...old, configured: true };
    if (differences(old.spec, spec).length > 0) differing.push(spec.name);
  }
  const names = new Set(book.agents.map(({ name }) => name));
  for (const r of Object.values(records)) {
    if (r.configured !== true || names.has(r.spec.name)) continue;
    if (r.state === 'ended') records[r.spec.name] = { ...r, configured: false };
  }
  return woken(book, { ...opened, records, live, starts, differing });
}
