/** The numbers of the stall watch, with unit and reason. */
import type { Ms } from '../protocol.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const TICKLE = {
  /** An agent that finished its work and rests is silent too: who wants it asked every few minutes says so. */
  enabled: false,
  /** T-1: silence longer than this is a stall: working agents leave evidence every few seconds. */
  thresholdMs: 300 * SECOND,
  /** T-1: how often all are looked at. */
  scanMs: 60 * SECOND,
  /** T-2: a page is answered by new evidence within this. */
  ackMs: 2 * MINUTE,
  /** T-1: neither a town nor an agent that started so lately leads to a page. */
  graceMs: 5 * MINUTE,
  /** T-2: one agent is paged once in this time. */
  cooldownMs: 15 * MINUTE,
  /** T-1: names that count as agents beside sessions and the ledger's. */
  agents: [] as readonly string[],
  /** T-2: agents that are in the channel of IRC, each by its name, and `=` its nick there where that is another. */
  nicks: [] as readonly string[],
  /** T-2: rings an agent's bell; null = the ladder begins with the next method. */
  bell: null as readonly string[] | null,
  /** T-2: a bell that takes longer has failed. */
  bellLimitMs: 2 * SECOND,
  /** T-3: scans in a row that fail before a person is told. */
  maxFailures: 3,
};
export type TicklePolicy = Readonly<typeof TICKLE>;

/** T-5: by how much signals of an agent scale its threshold. */
export const SCALE = {
  /** Wholly tired: half the threshold. */
  least: 0.5,
  /** Wholly confident: twice as long. */
  most: 2,
} as const;

/** Records that wait for a ledger which refuses them; the oldest go first. A day of failed scans is told by the last hours. */
export const MAX_UNWRITTEN = 200;
/** Stale agents that a record names; the rest is a number. */
export const MAX_NAMED = 100;
/** Its records are kept for so long: a month is what a person looks back on, and about 13 MB. */
export const KEPT_MS: Ms = 30 * 24 * 60 * MINUTE;
/** Waits for the next try to read its own record. */
export const RETRY_MS: Ms = 15 * SECOND;

/** The kind of evidence by which an agent says how it is (T-5). */
export const SIGNAL = 'signal';
