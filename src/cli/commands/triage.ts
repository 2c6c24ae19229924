/**
 * `town triage …`: the open cases and their choices. With the town down it works too, as far as a choice can be carried
 * out then.
 */
import type { Deed } from '../../../machines/protocol/patrols.ts';
import type { TriageCase } from '../../../machines/triage/cases.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { textOf } from '../../../state/files/disk.ts';
import { when } from '../../journal/when.ts';
import { OPERATOR, operatorOnly, type Caller } from '../../socket/permission.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing, note } from '../../terminal/print.ts';
import { countedCases } from '../../triage/case-count.ts';
import { decidedCases, undecidedCases } from '../../triage/requests.ts';
import { caseCalled, refusalOf, resolveCase } from '../../triage/resolve.ts';
import { runTriage, type Ran } from '../../triage/run.ts';
import { asCaller, mustBeOperator, ROLE, type RoleCaller, unlessDenied } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { agedBy } from '../asking/aged.ts';
import { withLedger } from '../asking/ledger.ts';
import { quoteName } from '../naming/names.ts';
import { find, numberOf, shortNumbers } from '../naming/resolve.ts';
import { MANY_DIGITS } from '../story/asking.ts';
import { choicesNow } from '../asking/patrol.ts';
import { runDeps } from '../asking/triage-run.ts';
import { times } from '../../../machines/kernel/span.ts';
import { untilEnded } from '../until-ended.ts';
import { TRIAGE_RECORDS } from '../../triage/policy.ts';

/** Closed ones that `--all` shows. */
const SHOWN = 50;
/** Words of a choice: a letter's worth. */
const { maxNote: MAX_NOTE } = TRIAGE_RECORDS;

const viewOf = (one: TriageCase): object => ({
  id: one.id,
  type: one.type,
  agent: one.agent,
  options: one.options,
  state: one.state,
  rig: one.rig,
  created_at: one.createdAt,
  context: one.context,
  snapshot_hook_bead_id: one.snapshot,
  tries: one.tries,
  for_a_person: one.isPersons || one.unproven !== null,
  unproven: one.unproven,
  resolution: one.resolution,
  outcome: one.outcome,
});

export async function list(context: Context, options: { readonly all?: boolean }): Promise<void> {
  const cases = await withLedger(context, async (ledger) => [
    ...(await undecidedCases(ledger)),
    ...(options.all === true ? await decidedCases(ledger, SHOWN) : []),
  ]);
  context.answer('triage', cases.map(viewOf), listing(cases, 'nothing waits for a decision', COLUMNS, rowIn(cases)));
}

const COLUMNS = [
  '#',
  'ID',
  'STATE',
  { head: 'TYPE', drop: 2 },
  { head: 'AGENT', drop: 3 },
  { head: 'ASKED', drop: 1 },
  'OPTIONS',
];
/** So many digits of a number are no other question's of `town questions`, which may show fewer. */
function rowIn(cases: readonly TriageCase[]): (one: TriageCase) => string[] {
  const numbers = shortNumbers(
    cases.map(({ id }) => ({ id, number: numberOf(id) })),
    MANY_DIGITS,
  );
  return ({ id, state, type, agent, createdAt, options }) => {
    return [numbers(id), id, state, type, agent === '' ? '-' : agent, when(createdAt), options.join(' ')];
  };
}

/** By its id, or the number or a beginning of one that is not closed. */
async function called(ledger: Ledger, word: string): Promise<TriageCase> {
  const candidates = (await undecidedCases(ledger)).map((value) => {
    return { id: value.id, number: numberOf(value.id), session: null, isOpen: true, at: 0, value };
  });
  const kind = { what: 'triage request', list: 'town triage list', code: 'unknown_case' };
  return find(word, candidates, kind) ?? caseCalled(ledger, word);
}

function caseText(one: TriageCase): string {
  const { resolution } = one;
  return [
    `${one.id}: ${one.type}, ${one.state}${one.isPersons ? ', for a person' : ''}`,
    `  about    ${one.agent === '' ? 'no agent' : clean(one.agent)}${one.snapshot === null ? '' : `, at work on ${one.snapshot}`}`,
    `  asked    ${when(one.createdAt)}`,
    ...(one.unproven === null ? [] : [`  careful  ${clean(one.unproven)}`]),
    ...(one.tries === 0 ? [] : [`  shown    to a reasoner ${one.tries} times`]),
    ...(resolution === null
      ? []
      : [
          `  chosen   ${resolution.choice}${resolution.all === true ? ' --all' : ''} by ${clean(resolution.by)}: ${clean(resolution.note)}`,
        ]),
    ...(one.outcome === '' ? [] : [`  outcome  ${clean(one.outcome)}`]),
    '',
    clean(one.context, 'lines'),
    ...(one.state === 'open' ? ['', `Choose: town triage resolve ${one.id} ${one.options.join('|')}`] : []),
  ].join('\n');
}

export async function show(context: Context, word: string): Promise<void> {
  const one = await withLedger(context, (ledger) => called(ledger, word));
  context.answer('triage-case', viewOf(one), () => caseText(one));
}

/**
 * A choice of the role is recorded, and the town that runs it carries it out. An operator's choice is carried out at
 * once.
 */
export async function resolve(
  context: Context,
  id: string,
  option: string,
  { note: words = '', all = false }: { readonly note?: string; readonly all?: boolean },
): Promise<void> {
  if (all && option !== 'COMMIT_AND_PUSH') {
    const text = `--all publishes what COMMIT_AND_PUSH refuses, and ${quoteName(option)} publishes nothing; leave it out`;
    throw new Failure(EXIT.usage, 'not_offered', text);
  }
  if (all) await mustBeOperator(context, 'COMMIT_AND_PUSH --all');
  await asCaller(context, 'gt_triage_resolve', [id, option], (caller) =>
    agedBy(context, () =>
      withLedger(context, (_, town) => resolveAs(caller, context, town, { id, option, note: words, all })),
    ),
  );
}

interface Wanted {
  readonly id: string;
  readonly option: string;
  readonly note: string;
  readonly all: boolean;
}

async function resolveAs(caller: Caller | RoleCaller, context: Context, ledger: Ledger, wanted: Wanted): Promise<void> {
  if (caller.is !== 'role') unlessDenied(operatorOnly(caller, 'town triage resolve'));
  const { note: words, option: choice } = wanted;
  if (words.length > MAX_NOTE) {
    const text = `--note has ${words.length} characters, the limit is ${MAX_NOTE}; write less`;
    throw new Failure(EXIT.usage, 'note_too_long', text);
  }
  // A run knows the whole ids; a person may type a beginning.
  const id = caller.is === 'role' ? wanted.id : (await called(ledger, wanted.id)).id;
  const chooser =
    caller.is === 'role'
      ? ({ by: ROLE, run: caller.run.id, among: caller.run.cases, shown: caller.run.shown?.[id] } as const)
      : ({ by: 'overseer', among: null } as const);
  const one = await resolveCase(ledger, id, { choice, note: words, all: wanted.all, now: Date.now(), ...chooser });
  const text =
    caller.is === 'role' ? 'chosen; the town carries it out' : await carriedOut(context, caller, ledger, one.id);
  const now = await caseCalled(ledger, one.id);
  const view = { ...viewOf(now), done: now.state === 'closed' };
  context.answer('triage-resolved', view, () => `${one.id}: ${clean(text)}`);
}

/** What came of the choice, in words. Throws Failure where it was refused. */
async function carriedOut(context: Context, caller: Caller, ledger: Ledger, id: string): Promise<string> {
  const found = await choicesNow(context, caller).catch(textOf);
  const deed = typeof found === 'string' ? undefined : found.deeds.findLast((one) => isOf(one, id));
  const { state, outcome } = await caseCalled(ledger, id);
  if (state === 'closed') return outcome;
  const why = deed?.text ?? (typeof found === 'string' ? found : 'it is next');
  if (state === 'resolved') return `chosen, and not yet done: ${why}`;
  throw (await refusalOf(ledger, id)) ?? new Failure(EXIT.failed, 'not_done', `${id} is open again: ${why}`);
}

const isOf = ({ act, about }: Deed, id: string): boolean => act === 'resolve' && about === id;

/** The last word of a run. */
export async function done(context: Context): Promise<void> {
  await asCaller(context, 'gt_done', [], (caller) => {
    if (caller.is === 'role') return Promise.resolve();
    const text =
      'town triage done ends a run of triage, and no run calls; it is for its reasoner, which has a TOWN_TOKEN';
    throw new Failure(EXIT.refused, 'role_only', text);
  });
  context.answer('triage-done', {}, 'the run is over; nothing more is needed');
}

export interface TriageReport extends Ran {
  readonly carried_out: readonly {
    readonly id: string;
    readonly is: 'done' | 'waiting' | 'refused';
    readonly text: string;
  }[];
  /** Cases that a person was told of. */
  readonly told: readonly { readonly id: string; readonly why: string }[];
  readonly model_calls: number;
  /** Open cases that wait for a person, who was told. */
  readonly persons: number;
}

function reportText({ carried_out: carried, told, run, waits, persons }: TriageReport): string {
  const lines = [
    ...carried.map(({ id, is, text }) => `${id}: ${is}: ${clean(text)}`),
    ...told.map(({ id, why }) => `${id}: a person was alerted: ${why}`),
    ...(run === null
      ? []
      : [`a run over ${run.cases.length} cases decided ${run.resolved.length}: ${clean(run.text)}`]),
    ...(waits === null ? [] : [`no run now: ${waits}`]),
  ];
  if (lines.length > 0) return lines.join('\n');
  if (persons === 0) return 'nothing waits for a decision';
  return `${times(persons, 'case waits', 'cases wait')} for a person: town triage list`;
}

/** What the round did about cases: the last word about each. */
async function reportOf(ledger: Ledger, ran: Ran, deeds: readonly Deed[]): Promise<TriageReport> {
  const carried = new Map(deeds.flatMap((one) => (one.act === 'resolve' ? [[one.about, one] as const] : [])));
  const undecided = await undecidedCases(ledger);
  const stateOf = (id: string, done: boolean): 'done' | 'waiting' | 'refused' => {
    const left = undecided.find((one) => one.id === id);
    // One that a reasoner left to a person is open, as it chose.
    return left === undefined || (left.state === 'open' && done)
      ? 'done'
      : left.state === 'open'
        ? 'refused'
        : 'waiting';
  };
  const named = undecided.filter((one) => one.state === 'open' && one.wasTold).length;
  return {
    ...ran,
    carried_out: [...carried].map(([id, { text, done }]) => ({ id, is: stateOf(id, done), text })),
    told: deeds.flatMap(({ act, about, text }) => (act === 'tell' ? [{ id: about, why: text }] : [])),
    model_calls: ran.run === null ? 0 : 1,
    persons: named + ((await countedCases(ledger)) ?? 0),
  };
}

/**
 * One cycle of triage now: it starts the reasoner if it may, carries out choices, and alerts a person of their cases.
 */
export async function run(context: Context): Promise<void> {
  await mustBeOperator(context, 'town triage run');
  const cancelled = untilEnded();
  const report = await agedBy(context, () =>
    withLedger(context, async (_, ledger) => {
      const ran = await runTriage(await runDeps(context, ledger, cancelled));
      const { deeds } = await choicesNow(context, OPERATOR);
      return reportOf(ledger, ran, deeds);
    }),
  );
  context.answer('triage-run', report, () => reportText(report));
  if (report.run !== null && report.run.is !== 'done') note(`the reasoner: ${clean(report.run.text)}`);
}
