/**
 * Triage as a step of the Deacon's patrol: it tells a person what is theirs, and wants what was chosen carried out. A reasoner is asked in a
 * process of its own (`town triage run`), so that no cycle waits for a model. While nothing is open it costs one question to the ledger and
 * one small file (P-18).
 */
import { times } from '../../machines/kernel/span.ts';
import type { ActOutcome, Wanted } from '../../machines/protocol/patrols.ts';
import type { TriageCase } from '../../machines/triage/cases.ts';
import { dispatchTriage, type DispatchAct } from '../../machines/triage/dispatch.ts';
import type { TriagePolicy } from '../../machines/triage/policy.ts';
import { addressOf, isPolecat } from '../../machines/rigs/names.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import type { RigRecords } from '../../state/rigs/records.ts';
import { readRun } from '../../state/triage/run.ts';
import { FRESH_CHOICE_MS } from './policy.ts';
import { tellPerson } from './carry-out.ts';
import { endCount, tellCount } from './case-count.ts';
import { closeCase, markTold, undecidedCases } from './requests.ts';
import { policyOf, queueOf } from './run.ts';
import { age } from '../ports/age.ts';

export interface StepNeeds {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly policy: TriagePolicy;
  /** The reasoner's words; null = there is none. */
  readonly command: readonly string[] | null;
  readonly records: Pick<RigRecords, 'polecats'>;
  readonly doing: (what: string) => Promise<void>;
}

export interface TriageStep {
  /** Cases that wait for a choice, or for what was chosen. */
  readonly seen: number;
  /** A person was told of these, and those of agents that are gone are over. */
  readonly acts: readonly ActOutcome<'tell' | 'close'>[];
  /** What was chosen, and a run of the reasoner. Where it cannot begin the queue stays as it is, and the next cycle tries. */
  readonly wants: readonly Wanted[];
  readonly more: { readonly model_calls: 0 | 1; readonly needs_triage: 0 | 1 };
  /** A reasoner may be asked any moment, or what was chosen just now is not done yet: the patrol keeps its pace. */
  readonly isActive: boolean;
}

export async function triageStep(needs: StepNeeds, now: number): Promise<TriageStep> {
  const { ledger, disk, policy, command } = needs;
  const undecided = await undecidedCases(ledger);
  const ended = await endGone(needs, undecided, now);
  const cases = undecided.filter(({ id }) => !ended.some(({ about }) => about === id));
  const last = await readRun(disk);
  const isOpen = last !== null && last.endedAt === null;
  // A killed one delays no other: the next run ends what it left.
  const isRunning = isOpen && age(last.startedAt, now) < last.deadlineAt - last.startedAt;
  const open = cases.filter(({ state }) => state === 'open');
  const seen = await queueOf(ledger, open, { now, running: isRunning ? 'yes' : 'no' });
  const decided = dispatchTriage(seen, policyOf(policy, command));
  const told = await tell(needs, { open, decided }, now);
  const acts = [...ended, ...told];
  const run = decided.find((one) => one.act === 'run');
  const nth = `model call ${seen.runs.length + 1} of ${policy.maxRuns} a day`;
  const left = isOpen && !isRunning ? 'what is left of a run that was killed is ended' : null;
  const says = run === undefined ? left : `the reasoner is asked about ${run.cases.length} (${nth})`;
  const chosen = cases.filter(({ state }) => state === 'resolved');
  const wants: Wanted[] = [
    ...chosen.map(({ id }): Wanted => ({ act: 'resolve', about: id, says: null })),
    ...(says === null ? [] : [{ act: 'triage', about: times(open.length, 'open case'), says } as const]),
  ];
  return {
    seen: cases.length,
    acts,
    wants,
    more: { model_calls: run === undefined ? 0 : 1, needs_triage: told.length + wants.length === 0 ? 0 : 1 },
    isActive: decided.some(mayRunSoon) || chosen.some((one) => isFresh(one, now)),
  };
}

/** Their options end, nudge or save a polecat. */
const OF_POLECATS: ReadonlySet<TriageCase['type']> = new Set(['dirty_polecat', 'stuck_agent', 'zombie_confirm']);

/** Open cases of polecats that are on record no more: nothing is left to decide. While a record does not count, none is known to be gone. */
async function endGone(
  { ledger, records, doing }: StepNeeds,
  cases: readonly TriageCase[],
  now: number,
): Promise<ActOutcome<'close'>[]> {
  const asked = cases.filter(({ state, type, agent }) => state === 'open' && OF_POLECATS.has(type) && isPolecat(agent));
  if (asked.length === 0) return [];
  const { found, unreadable } = await records.polecats();
  if (unreadable.length > 0) return [];
  const there = new Set(found.map(addressOf));
  const ended: ActOutcome<'close'>[] = [];
  for (const { id, agent } of asked.filter((one) => !there.has(one.agent))) {
    const text = `${agent} is gone: nothing is left to decide`;
    await doing(`close ${id}`);
    await closeCase(ledger, id, text, now);
    ended.push({ act: 'close', about: id, done: true, text });
  }
  return ended;
}

interface Queue {
  readonly open: readonly TriageCase[];
  readonly decided: readonly DispatchAct[];
}

/** A person is told of what is theirs: of a few by name, and of the others by their count. */
async function tell(
  { ledger, doing }: StepNeeds,
  { open, decided }: Queue,
  now: number,
): Promise<ActOutcome<'tell'>[]> {
  const told: ActOutcome<'tell'>[] = [];
  if (open.length === 0) await endCount(ledger, now);
  for (const one of decided) {
    const of = one.act === 'tell' ? open.find(({ id }) => id === one.case) : undefined;
    if (one.act === 'tell' && of !== undefined) {
      await doing(`tell ${of.id}`);
      await tellPerson({ ledger, now: () => now }, of, `A decision is wanted: ${one.why}`);
      await markTold(ledger, of.id, new Date(now).toISOString());
      told.push({ act: 'tell', about: of.id, done: true, text: one.why });
    }
    if (one.act !== 'count') continue;
    await tellCount(ledger, one, now);
    told.push({ act: 'tell', about: times(one.count, 'more case'), done: true, text: one.why });
  }
  return told;
}

const mayRunSoon = (one: DispatchAct): boolean => one.act === 'run' || (one.act === 'wait' && one.isShort);

/** Chosen a short while ago: what delays it, such as the end of a session, takes no longer as a rule. */
const isFresh = ({ resolution }: TriageCase, now: number): boolean =>
  resolution !== null && age(Date.parse(resolution.at), now) < FRESH_CHOICE_MS;
