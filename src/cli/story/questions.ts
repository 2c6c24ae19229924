/**
 * Every question that waits for a person, as one list (A-4): alerts, letters, cases of triage, escalations and gates. Each has one number,
 * which `town answer`, `town why` and `town ack` take. A question leaves the list by its cause; one that was acknowledged stands last.
 */
import { withClosedCause } from '../../ledger/escalation-causes.ts';
import { isEscalation, isAcked, ESCALATION, failedIn, questionOf } from '../../ledger/escalations.ts';
import { episodeOfGate, isOfGates } from '../../../machines/ledger/gates.ts';
import { episodeOfEscalation, escalationIn, isOfEscalations } from '../../../machines/ledger/escalations.ts';
import { escalationOf, isPersons, waitsText } from '../../ledger/gates.ts';
import { firstOf } from '../../ledger/walk.ts';
import { escalationsOf, undecidedCases } from '../../triage/requests.ts';
import { MEANINGS, needsWords, showsAll, type TriageCase } from '../../../machines/triage/cases.ts';
import { sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { isHearing } from '../../../state/alerts/episodes.ts';
import { FILES } from '../../../state/files/layout.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { isAnswerable } from '../../alerts/answerable.ts';
import { asks } from '../../alerts/news.ts';
import { unreadIn } from '../../overview/overview.ts';
import type { OpenAlert, OpenAlerts } from '../../overview/open-alerts.ts';
import { OVERVIEW } from '../../overview/policy.ts';
import type { Received } from '../../../state/mail/mailbox.ts';
import { withLedger } from '../asking/ledger.ts';
import { alertsOnRecord, alertsSeen, mailboxOf, OVERSEER } from '../asking/post.ts';
import type { Context } from '../context.ts';
import { hashedNumber, numberOf, shortNumbers } from '../naming/resolve.ts';
import { MANY_DIGITS } from './asking.ts';
import { dialogsOf } from './dialogs.ts';
import { ofDialog, seenOnce } from './of-alert.ts';
import type { Option, PersonsQuestion, Unnumbered } from './question.ts';
import { ruledByIn } from './ruled-by.ts';

const SEEN_LETTER: Option = { word: 'seen', does: 'take it off this list' };
const REPLY: Option = { word: 'reply', does: 'send it your text as a letter', needsText: true };

function ofLetter(letter: Received): Unnumbered {
  const { id, from, subject, body, sent_at } = letter;
  const text = `mail from ${from}: ${subject}`;
  const options = isAnswerable(letter) ? [REPLY, SEEN_LETTER] : [SEEN_LETTER];
  const more = { names: [], alerts: [], body, isAcked: false };
  return { kind: 'letter', id, session: null, since: sent_at, text, options, type: [`town mail read ${id}`], ...more };
}

function ofCase({ id, agent, type, context, outcome, options, createdAt }: TriageCase): Unnumbered {
  const [why = ''] = context.split('\n');
  return {
    kind: 'case',
    id,
    names: [],
    isAcked: false,
    session: agent === '' ? null : sessionOfAgent(agent),
    since: createdAt,
    text: `${type.replaceAll('_', ' ')}${agent === '' ? '' : ` ${agent}`}: ${why}`,
    options: options.map((word) => {
      return { word, does: MEANINGS[word], needsText: needsWords(word), isForDesk: !showsAll(word) };
    }),
    type: [`town triage show ${id}`],
    alerts: escalationsOf(id).map(episodeOfEscalation),
    body: outcome === '' ? context : `${context}\n\n${outcome}`,
  };
}

/** With the number of its alert, once that has begun. */
const ofEscalation =
  (begun: ReadonlyMap<string | null, string>) =>
  (bead: Bead): Unnumbered => {
    const { id, createdAt } = bead;
    const acked = isAcked(bead);
    const options = [...seenOnce(acked), { word: 'close', does: 'close it: it is decided' }];
    const since = begun.get(id) ?? createdAt;
    const failed = failedIn(bead);
    const type = [...(failed === null ? [] : [`town deacon redispatch ${failed}`]), `town bead show ${id}`];
    const more = { names: [], alerts: [episodeOfEscalation(id)], body: bead.description, isAcked: acked };
    return { kind: 'escalation', id, session: null, since, text: questionOf(bead), options, type, ...more };
  };

function ofGate(bead: Bead): Unnumbered {
  const { id, description: body, createdAt } = bead;
  const options = [{ word: 'open', does: 'open it: the work behind it may begin' }];
  const more = { names: [], alerts: [episodeOfGate(id), episodeOfEscalation(escalationOf(id))], body, isAcked: false };
  const type = [`town bead show ${id}`];
  return { kind: 'gate', id, session: null, since: createdAt, text: waitsText(bead), options, type, ...more };
}

interface Ledgered {
  readonly cases: readonly TriageCase[];
  readonly escalations: readonly Bead[];
  readonly gates: readonly Bead[];
}
const NONE: Ledgered = { cases: [], escalations: [], gates: [] };

/** A case is a person's where the town says so, and where no reasoner is configured. */
async function inLedger(ledger: Ledger, hasReasoner: boolean): Promise<Ledgered> {
  const cases = (await undecidedCases(ledger)).filter(
    ({ state, isPersons, wasTold, unproven }) =>
      state === 'open' && (isPersons || wasTold || unproven !== null || !hasReasoner),
  );
  const all = await firstOf((page) => ledger.list({ labels: [ESCALATION] }, page), LEDGER.maxPage);
  // A case, which can be decided, stands for the escalation by which the town speaks of it.
  const ofCases = new Set(cases.flatMap(({ id }) => escalationsOf(id)));
  const over = await withClosedCause(ledger, all);
  const waits = (bead: Bead): boolean => isEscalation(bead) && !over.has(bead.id);
  const escalations = all.filter((bead) => waits(bead) && !ofCases.has(bead.id));
  const shut = await firstOf((page) => ledger.list({ type: 'gate' }, page), LEDGER.maxPage);
  return { cases, escalations, gates: shut.filter(isPersons) };
}

async function beadsOf(context: Context): Promise<Ledgered> {
  // Opening a ledger makes one.
  if ((await (await context.disk()).stat(FILES.ledger)) === null) return NONE;
  const { triage } = await context.settings();
  const hasReasoner = triage.policy.reasoner !== 'none' && triage.command !== null;
  return withLedger(context, (_, ledger) => inLedger(ledger, hasReasoner));
}

/** The questions of the ledger that alerts tell of, by their episodes. Rejects as the ledger does. */
export async function byAlert(context: Context): Promise<ReadonlyMap<string, Omit<PersonsQuestion, 'number'>>> {
  const { cases, escalations, gates } = await beadsOf(context);
  const all = [...cases.map(ofCase), ...escalations.map(ofEscalation(new Map())), ...gates.map(ofGate)];
  return new Map(gatesLast(all).flatMap((one) => one.alerts.map((episode) => [episode, one] as const)));
}

/** A word as a person types it. */
export const wordOf = ({ word, needsText }: Option): string => (needsText === true ? `${word} "…"` : word);

/** The list of what waits, in the order in which it began, what was acknowledged last. Rejects as the disk and the ledger do. */
export const questionsOf = async (context: Context): Promise<PersonsQuestion[]> =>
  (await everyQuestion(context, await alertsSeen(context))).filter(({ isRead }) => isRead !== true);

/** As `questionsOf`, with agents' letters that were read and not yet answered. `seen`: null = the alerts on record count. `about`: as in `dialogsOf`. */
export async function everyQuestion(context: Context, seen: OpenAlerts, about?: string): Promise<PersonsQuestion[]> {
  const { box } = await mailboxOf(context, OVERSEER);
  const [all, mail, read, { cases, escalations, gates }] = await Promise.all([
    seen ?? alertsOnRecord(context),
    unreadIn(box),
    box.page(['cur'], { limit: OVERVIEW.mail, from: 'newest', of: 'letters' }),
    beadsOf(context),
  ]);
  // The beads stand for the alerts about them.
  const open = all.filter(({ episode, answers }) => !isHearing(episode) || answers?.length !== 0); // else it is decided
  const since = new Map(open.map((one) => [escalationIn(one.episode), one.since]));
  const own = open.filter(({ episode }) => !isOfEscalations(episode) && !isOfGates(episode));
  const dialogs = await dialogsOf(context, open, about);
  const ruledBy = await ruledByIn(context, dialogs.size > 0);
  return numbered([
    ...own.flatMap((one) => ofDialog(one, dialogs.get(one.episode), ruledBy)),
    ...mail.newest.filter(asks).map(ofLetter),
    ...read.filter(isAnswerable).map((one) => ({ ...ofLetter(one), isRead: true as const })),
    ...cases.map(ofCase).map(seenAs(open)),
    ...escalations.map(ofEscalation(since)),
    ...gates.map(ofGate).map(seenAs(open)),
  ]);
}

/** A case or gate of which each open alert is acknowledged was seen. */
const seenAs =
  (open: readonly OpenAlert[]) =>
  (one: Unnumbered): Unnumbered => {
    const told = open.filter(({ episode }) => one.alerts.includes(episode));
    return { ...one, isAcked: told.length > 0 && told.every(({ acked }) => acked) };
  };

function numbered(questions: readonly Unnumbered[]): PersonsQuestion[] {
  const ids = questions.map((one) => ({ id: one.id, number: wholeNumber(one) }));
  const [short, long] = [shortNumbers(ids), shortNumbers(ids, MANY_DIGITS)];
  return questions
    .map((one) => ({ number: (isOfMany(one) ? long : short)(one.id), ...one }))
    .toSorted((one, other) => Number(one.isAcked) - Number(other.isAcked) || one.since.localeCompare(other.since));
}

export const wholeNumber = ({ id, kind }: Known): string => (kind === 'alert' ? hashedNumber(id) : numberOf(id));

export const isOfMany = ({ kind }: Known): boolean => kind === 'letter' || kind === 'dialog';

type Known = Pick<PersonsQuestion, 'id' | 'alerts'> & { readonly kind: string };

/** For an answer that may come late: by the whole id. A beginning of it, a number or a session may mean another question by then. */
export const withId = <Q extends Pick<PersonsQuestion, 'id'> & { readonly names?: readonly string[] }>(
  all: readonly Q[],
  id: string,
): Q | undefined => all.find((one) => one.id === id) ?? all.find(({ names = [] }) => names.includes(id));

/** A gate comes before the escalation of it, of which the same alert tells. */
export const gatesLast = <Q extends Known>(all: readonly Q[]): readonly Q[] =>
  all.toSorted((one, other) => Number(one.kind === 'gate') - Number(other.kind === 'gate'));
