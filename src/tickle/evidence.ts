/** The ledger's part of a look of the stall watch: the newest record of each agent, found by author, however many there are. */
import { BEAD_STATUSES, type Bead } from '../../machines/ledger/bead.ts';
import type { Ms, WallMs } from '../../machines/protocol.ts';
import type { AgentSeen, Entry, Signals, Silences } from '../../machines/protocol/tickle.ts';
import { SELF } from '../../machines/tickle/entries.ts';
import { KEPT_MS, SIGNAL } from '../../machines/tickle/policy.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { isOwnEvidence } from '../ledger/doors.ts';
import { heldBy } from '../ledger/hook.ts';
import { beadsIn, evidenceOf, first, newestOf } from '../ledger/walk.ts';
import { age } from '../ports/age.ts';

export interface EvidenceAsked {
  /** Beside the agents of the ledger, each with the time since its newest other sign; null = there is none. */
  readonly agents: readonly (readonly [name: string, silentMs: Ms | null])[];
  /** Of all its signs. A page of each agent's records costs more than all else of a look. */
  readonly signals: Silences;
}
export type EvidenceFound = Pick<AgentSeen, 'name' | 'lastAt' | 'silentMs' | 'sign' | 'hook' | 'signals'>;

/** Authors and their newest records; each of `names` is there once, and so is each agent of the ledger. */
export async function evidenceNow(ledger: Ledger, asked: EvidenceAsked, now: WallMs): Promise<EvidenceFound[]> {
  const hooks = await hooksIn(ledger);
  const others = new Map(asked.agents);
  const names = new Set([...others.keys(), ...hooks.keys()]);
  names.delete(SELF);
  const found: EvidenceFound[] = [];
  for (const name of names) {
    const newest = await newestOf(ledger, name);
    const silentMs = newest === null ? null : age(newest.at, now);
    const leastMs = Math.min(silentMs ?? Infinity, others.get(name) ?? Infinity);
    const isNear = leastMs >= asked.signals.fromMs && leastMs <= asked.signals.toMs;
    found.push({
      name,
      lastAt: newest?.at ?? null,
      silentMs,
      sign: newest?.kind ?? null,
      hook: hooks.get(name) ?? null,
      signals: isNear ? await signalsOf(ledger, name) : null,
    });
  }
  return found;
}

/** Whether anything is in it beside evidence: a bead in any state. */
export const hasBeads = async (ledger: Ledger): Promise<boolean> =>
  (await ledger.list({ statuses: BEAD_STATUSES }, { limit: 1 })).items.length > 0;

/** Agent beads, by the name of the agent: their assignee, else their title. */
async function hooksIn(ledger: Ledger): Promise<Map<string, 'empty' | 'held'>> {
  const hooks = new Map<string, 'empty' | 'held'>();
  for (const query of [{ type: 'agent' }, { labels: ['gt:agent'] }])
    for await (const bead of beadsIn(ledger, query)) {
      const name = bead.assignee === '' ? bead.title : bead.assignee;
      if (!hooks.has(name)) hooks.set(name, (await holdsWork(ledger, name, bead)) ? 'held' : 'empty');
    }
  return hooks;
}

/** As `bd` writes it into the description of an agent. */
const HOOK = /^hook_bead:[ \t]*(?!null\b|none\b)\S/m;

const holdsWork = async (ledger: Ledger, name: string, { description }: Bead): Promise<boolean> =>
  HOOK.test(description) || (await heldBy(ledger, name)).length > 0;

/** What the agent itself said last, among its newest records; a word of another in its name is none. */
async function signalsOf(ledger: Ledger, name: string): Promise<Signals | null> {
  const newest = await first(evidenceOf(ledger, name, LEDGER.page), LEDGER.page);
  const signal = newest.find(({ id, kind }) => kind === SIGNAL && isOwnEvidence(name, id));
  return signal === undefined ? null : signalsIn(signal.text);
}

/** `{"fatigue": 0.8, "confidence": 0.2}`; what is no number says nothing. */
function signalsIn(text: string): Signals | null {
  try {
    const { fatigue, confidence } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return { fatigue: numberOf(fatigue), confidence: numberOf(confidence) };
  } catch {
    return null;
  }
}
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const forPeople = (body: string): string =>
  JSON.stringify(
    JSON.parse(body, (key, value: unknown) =>
      key === 'last_active' && typeof value === 'number' ? new Date(value).toISOString() : value,
    ),
  );

/**
 * Those that are in the ledger now. An id that another record has is left as it is. What was written long ago goes: a scan every
 * minute is half a million records a year. How long ago counts from the newest that was there before: one scan under a clock that is
 * wrong takes no month away.
 */
export async function writeEntries(ledger: Ledger, entries: readonly Entry[]): Promise<string[]> {
  const before = await ledger.newestEvidence(SELF);
  for (const { id, tag, at, body } of entries)
    await ledger.addEvidence({ id, author: SELF, kind: tag, text: forPeople(body), at });
  const newest = Math.min(...entries.map(({ at }) => at), before?.at ?? Infinity);
  if (entries.length > 0) await ledger.forgetEvidence(SELF, newest - KEPT_MS);
  return entries.map(({ id }) => id);
}
