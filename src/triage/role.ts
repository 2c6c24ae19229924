/**
 * The role that decides in a run of triage, by a token that counts while the run lasts. It may decide the cases of that
 * run, write to their agents, the mayor and the overseer, nudge those agents, escalate, and say that it is done.
 * Everything else is refused. Each call is on record, with its outcome.
 */
import type { Disk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { isTokenOf, readRun, type TriageRun } from '../../state/triage/run.ts';
import { newWrite } from '../ledger/ids.ts';
import { evidenceOf, first } from '../ledger/walk.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { TRIAGE_RECORDS } from './policy.ts';

/** In whose name its calls are on record. */
const ROLE = 'triage';

export const TOOLS = ['gt_triage_resolve', 'gt_mail_send', 'gt_escalate', 'gt_nudge', 'gt_done'] as const;
export type Tool = (typeof TOOLS)[number];

/** The run whose token this is; null = it is no run's, or its run is over. */
export async function runOf(disk: Disk, token: string, now: number): Promise<TriageRun | null> {
  const run = await readRun(disk);
  return run !== null && isTokenOf(run, token, now) ? run : null;
}

/** Addresses that it may write to; only agents are nudged. */
const OFFICES = ['mayor', 'overseer'];

export function refuseAgent({ agents }: TriageRun, agent: string, how: 'mail' | 'nudge'): void {
  if (agents.includes(agent) || (how === 'mail' && OFFICES.includes(agent))) return;
  const may = [...agents, ...(how === 'mail' ? OFFICES : [])].join(', ');
  const text = `${JSON.stringify(agent.slice(0, 80))} is in none of the cases of this run; ${may === '' ? 'it has no agent' : `those are ${may}`}`;
  throw new Failure(EXIT.refused, 'not_your_case', text);
}

const authorOf = (run: TriageRun): string => `${ROLE}/${run.id}`;
const { maxCall: MAX_SHOWN } = TRIAGE_RECORDS;

export interface Call {
  readonly tool: string;
  /** What it was called with, in short. */
  readonly words: string;
  readonly ok: boolean;
  /** What came of it. */
  readonly text: string;
}

/** On record with every outcome. */
export async function recordCall(ledger: Ledger, run: TriageRun, call: Call, at: number): Promise<void> {
  const text = JSON.stringify({ ...call, words: call.words.slice(0, MAX_SHOWN), text: call.text.slice(0, MAX_SHOWN) });
  const kind = call.ok ? 'call' : 'refused';
  await ledger.addEvidence({ id: `${run.id}-${newWrite()}`, author: authorOf(run), kind, text, at });
}

/** Throws where the run has made all calls that it may. */
export async function refuseMany(ledger: Ledger, run: TriageRun): Promise<void> {
  const calls = await first(evidenceOf(ledger, authorOf(run)), run.maxCalls);
  if (calls.length < run.maxCalls) return;
  throw new Failure(EXIT.refused, 'too_many_calls', `${run.maxCalls} calls are all that a run has; call gt_done`);
}
