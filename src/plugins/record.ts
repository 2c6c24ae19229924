/** What is on record of a plugin, as gates, the Deacon's round and people ask it. */
import type { PluginSeen } from '../../machines/patrols/plugins.ts';
import type { Disk } from '../../state/files/disk.ts';
import { addEntries, entriesOf, type PluginEntry } from '../../state/patrols/plugins.ts';
import { nextOf, type Plugin } from './definition.ts';
import { PLUGINS } from './policy.ts';
import { age, order } from '../ports/age.ts';

export type Came = Exclude<PluginEntry['kind'], 'seen' | 'began'>;
type RunNote = Pick<PluginEntry, 'id' | 'text' | 'deadlineAt'>;

const BEGAN = 'began';

export const noteBegun = (disk: Disk, name: string, note: RunNote, now: number): Promise<void> =>
  put(disk, name, { ...note, kind: BEGAN, at: now });
export const noteCame = (disk: Disk, name: string, came: Came, { id, text }: RunNote, now: number): Promise<void> =>
  put(disk, name, { id, text, kind: came, at: now });
export const noteSeen = (disk: Disk, name: string, now: number): Promise<void> =>
  put(disk, name, { id: `plugin-${name}-${String(now)}`, text: '', kind: 'seen', at: now });

const put = (disk: Disk, name: string, one: PluginEntry): Promise<void> =>
  addEntries(disk, name, [{ ...one, text: one.text.slice(-PLUGINS.maxOutputBytes) }], PLUGINS.maxRunsSeen);

/** null = nothing was heard of it. */
export const lastOf = async (disk: Disk, name: string): Promise<PluginEntry | null> =>
  (await entriesOf(disk, name))[0] ?? null;

/** It began, and its end is not on record. */
export const isOpen = (last: PluginEntry | null): last is PluginEntry => last?.kind === BEGAN;
/** … and it may go on still. */
export const mayRun = (last: PluginEntry | null, now: number): boolean =>
  isOpen(last) && age(last.at, now) < (last.deadlineAt ?? 0) - last.at + 2 * PLUGINS.killGraceMs;

/** Whether a run of it began at `since` (wall ms) or later, and ended well where that is wanted. */
export async function ranSince(disk: Disk, name: string, since: number, wanted: 'began' | 'done'): Promise<boolean> {
  const ended = new Set<string>();
  for (const { id, kind, at } of await entriesOf(disk, name)) {
    if (order(at) < order(since)) return false;
    if (kind === 'done') ended.add(id);
    if (kind === BEGAN && (wanted === BEGAN || ended.has(id))) return true;
  }
  return false;
}

/** A schedule counts from the first look at it: until that is on record, it is not there. */
export async function seenOf(disk: Disk, { name, gate }: Plugin, now: number): Promise<PluginSeen> {
  const begun = (await entriesOf(disk, name)).find(({ kind }) => kind === BEGAN || kind === 'seen' || kind === 'unmet');
  const before = begun?.at ?? null;
  const lastMs = before === null ? null : age(before, now);
  const next = gate.type === 'cron' && before !== null ? nextOf(gate.schedule, before) : null;
  return { name, gate, lastMs, pastMs: next === null ? null : now - next };
}

/** How it came out last, of the runs that say whether it works; null = none of its last runs does. */
export const lastEnded = async (disk: Disk, name: string): Promise<PluginEntry | null> =>
  (await entriesOf(disk, name)).find(({ kind }) => kind === 'done' || kind === 'failed' || kind === 'late') ?? null;
