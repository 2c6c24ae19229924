/**
 * The agents of town.toml, compared with the records once they are read. What runs is left, whatever the file says by now.
 * 1. An agent without a record is started, one after the other; one that ended stays ended unless it is `permanent`, and
 *    always if its agent asked for its end itself (C-10) or an operator stopped it.
 * 2. A changed entry and a removed one are told to a person as episodes; nothing is started, stopped or replaced for it.
 */
import { uuidOf } from '../kernel/seeded-random.ts';
import type { EpisodeName, Order, SessionRecord, SessionSpec, Stamp } from '../protocol.ts';
import { alertOrder, endAlert, isRetired, NOT_LIVE, type SessionsState, type Live, type Turn, woken } from './state.ts';
import { renewRecord } from './lifecycle.ts';

export const changedEpisode = (name: string): EpisodeName => `agent-changed/${name}`;
export const removedEpisode = (name: string): EpisodeName => `agent-removed/${name}`;

const startsNow = (old: SessionRecord | undefined, { restart }: SessionSpec): boolean =>
  old === undefined || (old.state === 'ended' && restart === 'permanent' && !isRetired(old));

/** The keys in which an entry differs from what its record was started with. */
function differences(one: SessionSpec, other: SessionSpec): string[] {
  const keys = ['command', 'dir', 'tags', 'restart'] as const;
  return keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}

/** The opened book with the wanted agents in it. */
export function takeAgents(book: SessionsState, opened: Partial<SessionsState>, now: Stamp): Turn {
  const records: Record<string, SessionRecord> = { ...(opened.records ?? book.records) };
  const live: Record<string, Live> = { ...(opened.live ?? book.live) };
  const orders: Order[] = [];
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
    orders.push(...news(old, spec, now));
  }
  const names = new Set(book.agents.map(({ name }) => name));
  for (const r of Object.values(records)) {
    if (r.configured !== true || names.has(r.spec.name)) continue;
    if (r.state === 'ended') {
      records[r.spec.name] = { ...r, configured: false };
      orders.push(endAlert(removedEpisode(r.spec.name), `${r.spec.name} has ended.`));
    } else orders.push(removal(r, now));
  }
  return { book: woken(book, { ...opened, records, live, starts }), orders };
}

/** Only what was reported can be over: a record that the file never named has no episode. */
function news(old: SessionRecord, spec: SessionSpec, now: Stamp): readonly Order[] {
  const { name } = spec;
  const back = old.configured === true ? [endAlert(removedEpisode(name), `${name} is in town.toml again.`)] : [];
  const keys = differences(old.spec, spec);
  if (keys.length === 0)
    return old.configured === true
      ? [...back, endAlert(changedEpisode(name), `${name} is as town.toml has it.`)]
      : back;
  const text = `town.toml has another ${keys.join(', ')} for ${name} than it was started with; what was started is kept. To change it: town session stop ${name}, then town session start ${name} -- <command>`;
  return [...back, alertOrder({ episode: changedEpisode(name), severity: 'low', session: name, text }, now)];
}

function removal({ spec: { name } }: SessionRecord, now: Stamp): Order {
  const text = `${name} is not in town.toml any more and is still supervised. To end it: town session stop ${name}`;
  return alertOrder({ episode: removedEpisode(name), severity: 'low', session: name, text }, now);
}
