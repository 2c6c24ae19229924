/**
 * Triage as a step of the Deacon's patrol: a look at the queue, and where something is to be done a process of its own that does it
 * (`town triage run`), so that no cycle waits for a model. While nothing is open it costs one question to the ledger and one small file (P-18).
 */
import { times } from '../../machines/kernel/span.ts';
import type { TriageCase } from '../../machines/triage/cases.ts';
import { dispatchTriage, type DispatchAct } from '../../machines/triage/dispatch.ts';
import type { TriagePolicy } from '../../machines/triage/policy.ts';
import type { Disk } from '../../state/files/disk.ts';
import { STATE } from '../../state/files/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { readRun } from '../../state/triage/run.ts';
import { FRESH_CHOICE_MS } from './policy.ts';
import { endCount } from './counted.ts';
import { policyOf, queueOf } from './run.ts';
import { undecidedCases } from './requests.ts';
import { age } from '../ports/age.ts';

export interface StepNeeds {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly policy: TriagePolicy;
  /** The reasoner's words; null = there is none. */
  readonly command: readonly string[] | null;
  readonly now: number;
}

export interface TriageStep {
  /** Cases that wait for a choice, or for what was chosen. */
  readonly open: number;
  /** What is to be begun, for people; null = nothing. Where it cannot be begun the queue stays as it is, and the next cycle tries. */
  readonly began: string | null;
  /** A reasoner may be asked any moment, or what was chosen just now is not done yet: the patrol keeps its pace. */
  readonly isActive: boolean;
  /** Runs of the reasoner that were begun. */
  readonly modelCalls: 0 | 1;
}

export async function triageStep({ ledger, disk, policy, command, now }: StepNeeds): Promise<TriageStep> {
  const cases = await undecidedCases(ledger);
  const last = await readRun(disk, STATE.maxRecordBytes);
  const isOpen = last !== null && last.endedAt === null;
  // A killed one delays no other: the next run ends what it left.
  const isRunning = isOpen && age(last.startedAt, now) < last.deadlineAt - last.startedAt;
  if (cases.length === 0) {
    await endCount(ledger, now);
    if (!isOpen || isRunning) return { open: 0, began: null, isActive: false, modelCalls: 0 };
    return { open: 0, began: 'what is left of a run that was killed is ended', isActive: false, modelCalls: 0 };
  }
  const open = cases.filter(({ state }) => state === 'open');
  const seen = await queueOf(ledger, open, { now, running: isRunning ? 'yes' : 'no' });
  const acts = dispatchTriage(seen, policyOf(policy, command));
  const [told, chosen] = [acts.filter(({ act }) => act === 'tell').length, cases.length - open.length];
  const count = acts.find((one) => one.act === 'count');
  const run = acts.find((one) => one.act === 'run');
  const nth = seen.runs.length + 1;
  const parts = [
    ...(chosen === 0 || isRunning
      ? []
      : [`${times(chosen, 'decision')} ${chosen === 1 ? 'is' : 'are'} being carried out`]),
    ...(told === 0 ? [] : [`a person is told of ${told}`]),
    ...(count === undefined ? [] : [`a person is told that there are ${count.count} more`]),
    ...(run === undefined
      ? []
      : [`the reasoner is asked about ${run.cases.length} (model call ${nth} of ${policy.maxRuns} a day)`]),
  ];
  return {
    open: cases.length,
    began: parts.length === 0 ? null : parts.join(', '),
    isActive: acts.some(mayRunSoon) || cases.some((one) => isFresh(one, now)),
    modelCalls: run === undefined ? 0 : 1,
  };
}

const mayRunSoon = (one: DispatchAct): boolean => one.act === 'run' || (one.act === 'wait' && one.isShort);

/** Chosen a short while ago: what delays it, such as the end of a session, takes no longer as a rule. */
const isFresh = ({ resolution }: TriageCase, now: number): boolean =>
  resolution !== null && age(Date.parse(resolution.at), now) < FRESH_CHOICE_MS;
