/** What is on record of a plugin, as evidence of the Deacon: when it was first seen, began, and how it came out. */
import { z } from 'zod';
import type { PluginSeen } from '../../machines/patrols/plugins.ts';
import { wall } from '../../state/files/shapes.ts';
import type { Evidence, Ledger } from '../../state/ledger/port.ts';
import { keptIn } from '../ledger/kept.ts';
import { evidenceOf, first, newestOf } from '../ledger/walk.ts';
import { nextOf, type Plugin } from './definition.ts';
import { PLUGINS } from './policy.ts';
import { age, order } from '../ports/age.ts';

/** `unmet`: its condition said no. `cut off`: its runner was killed. */
export type Came = 'done' | 'failed' | 'late' | 'unmet' | 'cut off';
/** `deadlineAt`: wall ms; of one that began. */
const RUN_NOTE = z.strictObject({ id: z.string(), text: z.string(), deadlineAt: wall.optional() });
export type RunNote = z.infer<typeof RUN_NOTE>;

const BEGAN = 'began';
const SEEN = 'seen';
const authorOf = (name: string): string => `deacon/plugin/${name}`;

export const noteBegun = (ledger: Ledger, name: string, note: RunNote, now: number): Promise<unknown> =>
  put(ledger, name, BEGAN, note, now);
export const noteCame = (ledger: Ledger, name: string, came: Came, note: RunNote, now: number): Promise<unknown> =>
  put(ledger, name, came, note, now);

async function put(ledger: Ledger, name: string, kind: string, note: RunNote, at: number): Promise<void> {
  const text = JSON.stringify({ ...note, text: note.text.slice(-PLUGINS.maxOutputBytes) });
  await ledger.addEvidence({ id: `${note.id}-${kind.replace(' ', '-')}`, author: authorOf(name), kind, text, at });
}

export interface LastRun {
  readonly kind: string;
  readonly at: number;
  readonly note: RunNote;
}

function runIn(evidence: Evidence): LastRun | null {
  const note = keptIn(evidence, RUN_NOTE);
  return note === null ? null : { kind: evidence.kind, at: evidence.at, note };
}

/** null = nothing was heard of it. */
export async function lastOf(ledger: Ledger, name: string): Promise<LastRun | null> {
  const newest = await newestOf(ledger, authorOf(name));
  return newest === null ? null : runIn(newest);
}

/** It began, and its end is not on record. */
export const isOpen = (last: LastRun | null): last is LastRun => last?.kind === BEGAN;
/** … and it may go on still. */
export const mayRun = (last: LastRun | null, now: number): boolean =>
  isOpen(last) && age(last.at, now) < (last.note.deadlineAt ?? 0) - last.at + 2 * PLUGINS.killGraceMs;

/** Since it began last. */
async function begunAt(ledger: Ledger, name: string): Promise<number | null> {
  for await (const { kind, at } of evidenceOf(ledger, authorOf(name), LOOKED_BACK))
    if (kind === BEGAN || kind === SEEN || kind === 'unmet') return at;
  return null;
}
const LOOKED_BACK = 10;

/** Whether a run of it began at `since` (wall ms) or later, and ended well where that is wanted. As far back as its last runs. */
export async function ranSince(
  ledger: Ledger,
  name: string,
  since: number,
  wanted: 'began' | 'done',
): Promise<boolean> {
  const ended = new Set<string>();
  for (const one of await first(evidenceOf(ledger, authorOf(name)), PLUGINS.maxRunsSeen)) {
    if (order(one.at) < order(since)) return false;
    const run = runIn(one);
    if (run?.kind === 'done') ended.add(run.note.id);
    if (run?.kind === BEGAN && (wanted === BEGAN || ended.has(run.note.id))) return true;
  }
  return false;
}

/** A schedule counts from the first look at it: until that is on record, it is not there. */
export async function seenOf(ledger: Ledger, { name, gate }: Plugin, now: number): Promise<PluginSeen> {
  const before = await begunAt(ledger, name);
  const lastMs = before === null ? null : age(before, now);
  const next = gate.type === 'cron' && before !== null ? nextOf(gate.schedule, before) : null;
  return { name, gate, lastMs, pastMs: next === null ? null : now - next };
}

export const noteSeen = (ledger: Ledger, name: string, now: number): Promise<unknown> =>
  put(ledger, name, SEEN, { id: `plugin-${name}-${String(now)}`, text: '' }, now);

/** How it came out last, of the runs that say whether it works; null = none of its last runs does. */
export async function lastEnded(ledger: Ledger, name: string): Promise<LastRun | null> {
  for (const one of await first(evidenceOf(ledger, authorOf(name)), PLUGINS.maxRunsSeen))
    if (ENDED.has(one.kind)) return runIn(one);
  return null;
}
const ENDED: ReadonlySet<string> = new Set<Came>(['done', 'failed', 'late']);
