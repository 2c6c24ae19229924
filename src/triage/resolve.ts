/**
 * A decision (P-15): once, one of the offered options, on the case at hand. The choice is durable before anything is
 * done.
 */
import type { Bead, Official } from '../../machines/ledger/bead.ts';
import { withStatus } from '../../machines/ledger/changes.ts';
import type { Plan } from '../../machines/triage/plan.ts';
import { CHOICES, needsWords, type Choice, type TriageCase } from '../../machines/triage/cases.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { changeOfficially } from '../ledger/change.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { caseOf, markTold, toldLabels } from './requests.ts';

export interface Chosen {
  readonly choice: string;
  readonly note: string;
  readonly by: 'overseer' | 'triage';
  /** COMMIT_AND_PUSH publishes what is refused else; the operator's alone. */
  readonly all?: boolean;
  /** The mark of what a reasoner was shown of what COMMIT_AND_PUSH publishes; absent = not all of it, or the operator chooses. */
  readonly shown?: string | undefined;
  /** The run of triage that chooses; absent = a person does. */
  readonly run?: string;
  /** Wall ms. */
  readonly now: number;
  /** Cases that the chooser may decide; null = all. */
  readonly among: readonly string[] | null;
}

/** A foreign word in a sentence. */
const quoted = (text: string): string => JSON.stringify(text.slice(0, 80));
const noCase = (id: string): Failure =>
  new Failure(EXIT.usage, 'unknown_case', `there is no triage request ${quoted(id)}; see \`town triage list\``);

export async function caseCalled(ledger: Ledger, id: string): Promise<TriageCase> {
  const [bead] = await ledger.beads([id]).catch(() => []);
  const found = bead === undefined ? null : caseOf(bead);
  if (found === null) throw noCase(id);
  return found;
}

function checked(one: TriageCase, chosen: Chosen): Choice {
  const { choice, note, among, by } = chosen;
  const { id, options, resolution, state, unproven } = one;
  if (by !== 'overseer' && unproven !== null)
    throw new Failure(EXIT.refused, 'not_your_case', `${id} is for a person: ${unproven}`);
  if (among !== null && !among.includes(id)) {
    const text = `${id} is none of the cases of this run (${among.join(', ')}); decide those`;
    throw new Failure(EXIT.refused, 'not_your_case', text);
  }
  if (resolution !== null || state === 'closed') {
    const how = resolution === null ? 'closed' : `decided: ${resolution.by} chose ${resolution.choice}`;
    throw new Failure(EXIT.failed, 'already_resolved', `${id} is ${how}; see \`town triage show ${id}\``);
  }
  const known = CHOICES.find((word) => word === choice);
  if (known === undefined || !options.includes(known)) {
    const text = `${quoted(choice)} is no option of ${id}; choose one of ${options.join(', ')}`;
    throw new Failure(EXIT.usage, 'not_offered', text);
  }
  checkPublishing(id, known, chosen);
  if (!needsWords(known) || note.trim() !== '') return known;
  throw new Failure(EXIT.usage, 'no_words', `${known} says nothing without words; write them: --note "…"`);
}

/** What is published once cannot be taken back: the operator may want all, a reasoner what it was shown. */
function checkPublishing(id: string, choice: Choice, { by, shown, all = false }: Chosen): void {
  if (all && (choice !== 'COMMIT_AND_PUSH' || by !== 'overseer')) {
    const text = `--all is the operator's, and of COMMIT_AND_PUSH alone; ${by} chose ${choice}: leave it out`;
    throw new Failure(by === 'overseer' ? EXIT.usage : EXIT.refused, 'not_offered', text);
  }
  if (choice !== 'COMMIT_AND_PUSH' || by === 'overseer' || shown !== undefined) return;
  const text = `not all that COMMIT_AND_PUSH would publish was shown in the prompt about ${id}; choose another option, such as ESCALATE`;
  throw new Failure(EXIT.refused, 'not_shown', text);
}

/** Durable when it resolves; nothing was done about it yet. Throws `Failure` where it may not be chosen. */
export async function resolveCase(ledger: Ledger, id: string, chosen: Chosen): Promise<TriageCase> {
  await caseCalled(ledger, id);
  const at = new Date(chosen.now).toISOString();
  const { by, note, run = null, all = false, shown } = chosen;
  const bead = await changeOfficially(ledger, id, (one) => {
    const found = caseOf(one);
    if (found === null) throw noCase(id);
    const choice = checked(found, chosen);
    if (by !== 'overseer' && one.official.left !== undefined) {
      const text = `${id} was decided once, and is left to a person; see \`town triage show ${id}\``;
      throw new Failure(EXIT.failed, 'already_resolved', text);
    }
    // As Gas Town reads it; what counts is official.
    const metadata = { resolution: choice, resolved_by: by, resolved_at: at, resolution_note: note };
    const via = by === 'overseer' ? 'operator' : 'triage';
    const isPublished = choice === 'COMMIT_AND_PUSH' && shown !== undefined;
    const more = { ...(all && { all }), ...(isPublished && { shown }) };
    const resolution = { by, via, life: run, at, choice, note, ...more } as const;
    const official = { ...one.official, resolution };
    return { ...withStatus(one, 'in_progress', at), metadata: { ...one.metadata, ...metadata }, official };
  });
  const found = bead === null ? null : caseOf(bead);
  if (found === null) throw noCase(id);
  return found;
}

/** What it leads to, and what was said of the acts that are done. */
export const planCase = (ledger: Ledger, id: string, plan: Plan, now: number): Promise<unknown> =>
  changeOfficially(ledger, id, (one) => {
    const updatedAt = new Date(now).toISOString();
    return { ...one, updatedAt, official: { ...one.official, plan } };
  });

/** How the command of the person who chose fails; null = nothing was refused. */
export async function refusalOf(ledger: Ledger, id: string): Promise<Failure | null> {
  const refusal = (await ledger.beads([id]))[0]?.official.refusal;
  const exit = Object.values(EXIT).find((one) => one === refusal?.exit);
  return refusal === undefined || exit === undefined ? null : new Failure(exit, refusal.code, refusal.text);
}

/** A reasoner chose ESCALATE: the case is open again, for a person who was told. */
export async function leaveToPerson(ledger: Ledger, id: string, why: string, now: number): Promise<void> {
  // One write: a case that is open and not told would be the reasoner's again.
  await changeOfficially(ledger, id, (one) => {
    const again = opened(one, { left: 'escalated', outcome: why }, now);
    return one.status === 'closed' ? one : { ...again, labels: toldLabels(one) };
  });
}

/** The choice is taken back; `outcome` says why. */
function opened(one: Bead, { left, outcome }: Pick<Official, 'left'> & { outcome: string }, now: number): Bead {
  if (one.status === 'closed') return one;
  const { resolution: _, resolved_by: _by, resolved_at: _at, resolution_note: _note, ...rest } = one.metadata;
  const official = { ...one.official, resolution: null, plan: undefined, left };
  const at = new Date(now).toISOString();
  return { ...withStatus(one, 'open', at), metadata: { ...rest, outcome }, official };
}

/** What was chosen could not be done: the case is open again, for a person who was told. */
export async function reopenCase(ledger: Ledger, id: string, refusal: Failure, now: number): Promise<void> {
  const at = new Date(now).toISOString();
  const { exit, code, message: text } = refusal;
  const said = { exit, code, text: text.slice(0, LEDGER.maxText) };
  await changeOfficially(ledger, id, (one) => {
    const outcome = `${one.metadata['resolution'] ?? ''} was not done: ${refusal.message}`;
    const again = opened(one, { left: 'refused', outcome }, now);
    return one.status === 'closed' ? one : { ...again, official: { ...again.official, refusal: said } };
  });
  await markTold(ledger, id, at);
}
