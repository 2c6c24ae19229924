/**
 * Every question that waits for a person, as one list (A-4): alerts, letters, cases of triage, escalations and gates. Each has one number,
 * which `town answer`, `town why` and `town ack` take. A question leaves the list by its cause; one that was acknowledged stands last.
 */
import { idIn } from '../../../machines/alerts/question.ts';
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
import { FITS } from '../../config/fits.ts';
import { ruleFor, signatureOf, type AskRule } from '../../../machines/channels/rules.ts';
import type { Dialog } from '../../screen/dialog.ts';
import { withLedger } from '../asking/ledger.ts';
import { alertsOnRecord, alertsSeen, mailboxOf, OVERSEER } from '../asking/post.ts';
import type { Context } from '../context.ts';
import { hashedNumber, numberOf, shortNumbers } from '../naming/resolve.ts';
import { alertId, MANY_DIGITS } from './asking.ts';
import { dialogsOf, type Standing } from './dialogs.ts';

/** A word that `town answer` takes, and what comes of it. */
export interface Option {
  readonly word: string;
  readonly does: string;
  /** It means nothing without a text behind it. */
  readonly needsText?: boolean;
  /** It gives more than the question shows: chosen at the terminal alone. */
  readonly isForDesk?: boolean;
  /** It ends an agent, or outlasts its question: no channel offers it unless `[[may_answer]]` names its very word. */
  readonly isGrave?: true;
  /** Of a dialog: the label that it stands for. */
  readonly label?: string;
}

export interface PersonsQuestion {
  /** The last digits of its number that no other question ends with; its id where it has none. */
  readonly number: string;
  readonly kind: 'alert' | 'dialog' | 'letter' | 'case' | 'escalation' | 'gate';
  /** Of an alert its episode and its beginning, of a dialog the name that it got first, else the id of the letter or bead. */
  readonly id: string;
  /** Of a dialog what else means this very one. */
  readonly names: readonly string[];
  /** The session that it is about; null = none. */
  readonly session: string | null;
  /** ISO. */
  readonly since: string;
  readonly text: string;
  readonly options: readonly Option[];
  /** Command lines that show more of it, or mend its cause; the likeliest first. */
  readonly type: readonly string[];
  /** Episodes of the alerts that tell of it. */
  readonly alerts: readonly string[];
  /** What it is about, beside its text; empty = its text is all, or its dialog shows it. */
  readonly body: string;
  /** A person has seen it, and its cause goes on. */
  readonly isAcked: boolean;
  /** A letter that was read: it left the list, and can still be answered. */
  readonly isRead?: true;
  /** It is an alert about a dialog that cannot be read now. */
  readonly isUnseen?: true;
  /** Of a dialog: its id as it is answered now, its words, its rows, the labels that only a person at its pane chooses, and the alert about it. */
  readonly dialog?: Pick<Dialog, 'id' | 'question' | 'shows' | 'withheld' | 'way' | 'expiresAt'> & {
    /** What answers it while its agent's pane is not used, if its budget lasts: `rule 1 of town.toml: yes`; null = no rule does. */
    readonly rule: string | null;
  };
}
type Unnumbered = Omit<PersonsQuestion, 'number'>;

const SEEN: Option = { word: 'seen', does: 'no further alert; it stands in this list until it is over' };
const SEEN_LETTER: Option = { word: 'seen', does: 'take it off this list' };
/**
 * What the answers come to that alerts declare: of a hearing that was left to a person (commands/decide.ts), and of a root that came back
 * from a copy. That is not seen away: what waits would stand still without a word.
 */
const DECLARED: Readonly<Record<string, Omit<Option, 'word'>>> = {
  pardon: { does: 'let it live: nothing is done to it, and this is asked no more' },
  hear: { does: 'hear it again: an answer pardons it, silence ends it, with its work saved first' },
  execute: { does: 'end it without another hearing, with its work saved first', isGrave: true },
  go: { does: 'go on: what waits is typed, sent and given out as this copy holds it', isGrave: true },
};
const declaredOption = (word: string): Option[] => {
  const known = DECLARED[word];
  return known === undefined ? [] : [{ word, ...known }];
};
/** What was acknowledged is not to be acknowledged again. */
const seenOnce = (acked: boolean): readonly Option[] => (acked ? [] : [SEEN]);
const REPLY: Option = { word: 'reply', does: 'send it your text as a letter', needsText: true };

const optionOf = ({ word, does, label, text, isGrave }: Dialog['offers'][number]): Option => {
  return { word, does, label, needsText: text !== undefined, ...(isGrave === true && { isGrave }) };
};

/** A dialog whose options were read stands for the alert about it; one that is gone takes the alert along. */
function ofDialog(
  alert: OpenAlert,
  stands: Standing | 'unseen' | 'gone' | undefined,
  rules: readonly AskRule[],
): Unnumbered[] {
  if (stands === 'gone') return [];
  if (stands === undefined) return ofAlert(alert);
  if (stands === 'unseen') return ofAlert(alert).map((one) => ({ ...one, isUnseen: true }));
  const { dialog, id, names } = stands;
  const { question, whole, withheld, way, offers, expiresAt } = dialog;
  // What a rule compares is what its writer reads here.
  const shows = way === 'request' && dialog.kind === 'permission' ? (whole ?? dialog.shows) : dialog.shows;
  const options = [...offers.map(optionOf), ...seenOnce(alert.acked || alert.isNew === true)];
  const text = `${alert.session} asks: ${question}`;
  const ruled =
    alert.session === null ? null : ruleFor(rules, { session: alert.session, way, whole, options: offers }, FITS);
  const rule = ruled && `${signatureOf(ruled.rule)}: ${ruled.option.word}`;
  const { episode, session, since, type } = alert;
  const more = {
    alerts: [episode],
    body: '',
    dialog: { id: dialog.id, question, shows, withheld, way, rule, ...(expiresAt !== undefined && { expiresAt }) },
  };
  return [
    { kind: 'dialog', id, names, session, since, text, options, type: type ?? [], isAcked: alert.acked, ...more },
  ];
}

function ofAlert(alert: OpenAlert): Unnumbered[] {
  const { episode, session, since, text, severity, type = [], answers = [], acked } = alert;
  if (type === null) return [];
  // One about a dialog that cannot be read is printed with the number of that.
  const of = idIn(alert.question ?? undefined);
  const more = { names: of === undefined ? [] : [of], alerts: [episode], body: '', isAcked: acked };
  const id = alertId(alert);
  const declared = answers.flatMap(declaredOption);
  const options = declared.length > 0 ? declared : seenOnce(acked);
  return [{ kind: 'alert', id, session, since, text: `${severity}: ${text}`, options, type, ...more }];
}

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
  const rules = dialogs.size === 0 ? [] : (await context.settings()).askRules;
  return numbered([
    ...own.flatMap((one) => ofDialog(one, dialogs.get(one.episode), rules)),
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
