/** Open alerts and unread letters as questions, with what to type for each, or as mere news. */
import { idIn } from '../../../machines/alerts/question.ts';
import { escalationIn } from '../../../machines/ledger/escalations.ts';
import { asks } from '../../alerts/news.ts';
import type { Waiting } from '../../overview/overview.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import { terminal } from '../../terminal/streams.ts';
import { clean } from '../../terminal/print.ts';
import { hashedNumber, numberOf, shortNumbers } from '../naming/resolve.ts';

export interface Question {
  /** The episode of an alert, the id of a message, `alerts` or `mailbox`. */
  readonly id: string;
  readonly text: string;
  /** Command lines, the likeliest first. */
  readonly type: readonly string[];
  /** It is acknowledged. */
  readonly seen: boolean;
}
export interface QuestionsAndNews {
  /** Of what is known. */
  readonly questions: readonly Question[];
  /** News that asks nothing, one sentence each. */
  readonly news: readonly string[];
}

/** A mailbox holds more than its unread messages, and dialogs come one after the other: with so many digits none of the others is meant. */
export const MANY_DIGITS = 6;

type Begun = Pick<OpenAlert, 'episode' | 'since' | 'question'>;

/** A question in the ledger, of which an alert tells: a case, a gate or an escalation. */
export interface OfLedger {
  /** Of its bead. */
  readonly id: string;
  /** What `town answer` takes for it, as it is typed. */
  readonly words: readonly string[];
  readonly type: readonly string[];
}
/** By the episode of the alert. */
export type InLedger = ReadonlyMap<string, OfLedger>;
const UNREAD: InLedger = new Map();

/** Most towns have none open, and load nothing for it. */
export const areInLedger = (alerts: readonly OpenAlert[] | null): boolean =>
  alerts?.some(({ session, answers: words = [] }) => session === null && words.length > 0) === true;

/** One that begins anew, and one about the next question, has another id and number: no late answer or acknowledgement is taken for it. */
export const alertId = ({ episode, since }: Begun): string => `${episode}@${since}`;

/** An alert about an escalation, or about a dialog, has the number of that: a person meets the two as one. */
export function alertNumber(alert: Begun): string {
  const of = escalationIn(alert.episode) ?? dialogIn(alert);
  return of === null ? hashedNumber(alertId(alert)) : numberOf(of);
}

/** The id of the dialog that it is about; null = it is about none that has one. */
const dialogIn = ({ question }: Begun): string | null => idIn(question ?? '') ?? null;

/** Alerts by their short numbers, as `town answer` and `town ack` take them. Two that tell of one bead have its number. */
export function alertNumbers(alerts: readonly Begun[], inLedger = UNREAD): (episode: string) => string {
  const beads = new Map([...inLedger.values()].map(({ id }) => [id, { id, number: numberOf(id) }]));
  const others = alerts.filter(({ episode }) => !inLedger.has(episode));
  const numbers = [...beads.values(), ...others.map((one) => ({ id: one.episode, number: alertNumber(one) }))];
  const [short, long] = [shortNumbers(numbers), shortNumbers(numbers, MANY_DIGITS)];
  const ofDialogs = new Set(alerts.filter((one) => dialogIn(one) !== null).map(({ episode }) => episode));
  return (episode) => (ofDialogs.has(episode) ? long : short)(inLedger.get(episode)?.id ?? episode);
}

/** The commands to type for an alert, what decides it first; null = it is news. */
export function answers(
  { type = [], acked, isNew, answers: words = [] }: Pick<OpenAlert, 'type' | 'acked' | 'isNew' | 'answers'>,
  number: string,
  told?: OfLedger,
): readonly string[] | null {
  if (type === null) return null;
  const takes = told?.words ?? (acked || isNew === true ? words : [...words, SEEN_WORD]);
  return [
    ...takes.filter((word) => word !== SEEN_WORD).map((word) => `town answer ${number} ${word}`),
    ...(told?.type ?? type),
    ...(takes.includes(SEEN_WORD) ? [`town ack ${number}`] : []),
  ];
}
/** It is typed as `town ack` too, which an agent may for an escalation of its own. */
const SEEN_WORD = 'seen';

const SEVERITIES = ['critical', 'high', 'medium', 'low'];
const rank = ({ severity }: OpenAlert): number => SEVERITIES.indexOf(severity);

/** Entries for waiting things that cannot be read. */
const UNKNOWN = {
  alerts: {
    id: 'alerts',
    text: 'it is unknown which alerts are open: they cannot be read',
    type: ['town alerts list'],
    seen: false,
  },
  mail: {
    id: 'mailbox',
    text: 'it is unknown what mail waits for you: your mailbox cannot be read',
    type: ['town mail inbox'],
    seen: false,
  },
} satisfies Record<string, Question>;

/** The gravest come first, among these the newest; acknowledged ones last. `inLedger`: what of it is known (../asking/in-ledger.ts). */
export function asking(waiting: Pick<Waiting, 'alerts' | 'mail'>, inLedger = UNREAD): QuestionsAndNews {
  const { alerts, mail } = { alerts: waiting.alerts ?? [], mail: waiting.mail ?? [] };
  const numbers = alertNumbers(alerts, inLedger);
  const mails = shortNumbers(
    mail.map(({ id }) => ({ id, number: numberOf(id) })),
    MANY_DIGITS,
  );
  const news: string[] = [];
  const questions: Question[] = [];
  for (const alert of alerts.toSorted((a, b) => rank(a) - rank(b) || b.since.localeCompare(a.since))) {
    const { episode, severity, acked } = alert;
    const text = `${severity}: ${clean(alert.text)}`;
    const type = answers(alert, numbers(episode), inLedger.get(episode));
    if (type === null) news.push(text);
    else questions.push({ id: episode, text, type, seen: acked });
  }
  for (const one of mail) {
    const text = `mail from ${clean(one.from)}: ${clean(one.subject)}`;
    if (asks(one)) questions.push({ id: one.id, text, type: [`town mail read ${mails(one.id)}`], seen: false });
    else news.push(text);
  }
  if (waiting.alerts === null) questions.push(UNKNOWN.alerts);
  if (waiting.mail === null) questions.push(UNKNOWN.mail);
  return { questions: [...questions.filter(({ seen }) => !seen), ...questions.filter(({ seen }) => seen)], news };
}

const BETWEEN = '  ·  ';
/** Columns by which a page may indent the lines. */
const NESTED = 2;

/** Command lines side by side as far as the terminal is wide: none is broken that fits. */
export function commandLines(type: readonly string[], indent: number): readonly string[] {
  const width = terminal()?.columns ?? Infinity;
  const lines: string[] = [];
  for (const command of type.map((one) => clean(one))) {
    const last = lines.at(-1);
    const longer = last === undefined ? '' : `${last}${BETWEEN}${command}`;
    if (last !== undefined && indent + longer.length + NESTED <= width) lines[lines.length - 1] = longer;
    else lines.push(command);
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`);
}

const INDENT = 4;

/** The question, and below it what to type. */
export const questionLines = (questions: readonly Question[]): readonly string[] =>
  questions.flatMap(({ text, type, seen }) => [`? ${text}${seen ? ' (seen)' : ''}`, ...commandLines(type, INDENT)]);
