/**
 * What a command's cycle found and did, noted as evidence. While an agent patrols, the running town reports these
 * cycles like its own (P-18). Each note holds the count of cycles so far, so that a second reading counts none twice.
 */
import { z } from 'zod';
import type { Patrolled } from '../../../machines/protocol/patrols.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { keptIn } from '../../ledger/kept.ts';
import { patrolOf } from './evidence.ts';
import { newestOf } from '../../ledger/walk.ts';

const KIND = 'found';
const deed = z.strictObject({
  step: z.string(),
  act: z.string(),
  about: z.string(),
  done: z.boolean(),
  text: z.string(),
});
const PATROLLED = z.strictObject({
  observed: z.record(z.string(), z.number()),
  deeds: z.array(deed),
  stranded: z.array(z.string()),
  isActive: z.boolean(),
  isPaused: z.boolean(),
}) satisfies z.ZodType<Patrolled>;
const authorOf = (of: string): string => patrolOf(of, KIND);

export interface Noted extends Patrolled {
  readonly endedAt: number;
}

/** The last one; null = there was none. */
export async function lastNoted(ledger: Ledger, of: string): Promise<Noted | null> {
  const newest = await newestOf(ledger, authorOf(of));
  const found = keptIn(newest, PATROLLED);
  return newest === null || found === null ? null : { ...found, endedAt: newest.at };
}

export async function noteFound(ledger: Ledger, of: string, found: Patrolled, at: number): Promise<void> {
  const { needs_triage: needs, ...observed } = found.observed;
  const { agent_cycles: cycles = 0, agent_triage_cycles: before = 0 } = (await lastNoted(ledger, of))?.observed ?? {};
  const counted = needs === undefined ? {} : { agent_cycles: cycles + 1, agent_triage_cycles: before + needs };
  const all: Patrolled = { ...found, observed: { ...observed, ...counted } };
  const whole = JSON.stringify(all);
  // The author itself reports a flood of acts.
  const text = whole.length <= LEDGER.maxText ? whole : JSON.stringify({ ...all, deeds: [] });
  await ledger.addEvidence({ id: `${authorOf(of)}-${String(at)}`, author: authorOf(of), kind: KIND, text, at });
}
