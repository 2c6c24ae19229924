/**
 * What leaves the machine of a notice: without secrets, names of users and control characters, and not longer than a channel takes.
 * Lines to type are the town's own words and stay as they are.
 */
import { homedir } from 'node:os';
import { ASK_KINDS, type Ask, type AskOption } from '../../machines/channels/answers.ts';
import { NOTIFY } from '../../machines/alerts/policy.ts';
import { ANSWERS, CHANNELS } from '../../machines/channels/policy.ts';
import { rank } from '../../machines/alerts/severity.ts';
import { severityOf } from '../../machines/channels/route.ts';
import type { Told } from '../../machines/alerts/slots.ts';
import type { Severity } from '../../machines/protocol.ts';
import type { Spooled } from '../../state/channels/spool.ts';
import { bytesOf } from './offers.ts';
import { redact } from '../screen/redact.ts';
import { clean } from '../terminal/print.ts';

export interface Message {
  /** The same message once more has the same. */
  readonly id: string;
  /** ISO. */
  readonly at: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly session: string | null;
  /** So many notices are told in it. */
  readonly count: number;
  readonly title: string;
  /** What happened. */
  readonly text: string;
  /** Command lines that show more of it or answer it. */
  readonly type: readonly string[];
  /** What may be answered by a reply; null = nothing. */
  readonly ask: MessageAsk | null;
}

export interface MessageAsk extends Pick<Ask, 'number' | 'kind' | 'tags' | 'options'> {
  /** What it is about, row by row: the last rows of the text. */
  readonly shows: readonly string[];
}

const TITLES: Readonly<Record<string, string>> = {
  answer: 'town: your answer',
  recovered: 'town: over',
  guard: 'town: the town itself',
  well: 'town: all is well',
};

const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Clipped before and after: what is looked through stays small, and so does what is sent. */
export function harmlessText(text: string, most: number): string {
  const rows = clean(clip(text, 4 * most), 'lines').split('\n');
  return clip(redact(rows, { homes: [homedir()], users: [], hosts: [] }).join('\n'), most);
}

/** Programs know things by these; of `type`, what stands there is typed. */
const EXACT = new Set(['schema', 'kind', 'at', 'id', 'episode', 'severity', 'session', 'tags', 'type', 'word', 'to']);

/** A notice whose texts are as a channel sends them. */
export const harmlessNotice = (notice: Told): object =>
  Object.fromEntries(
    Object.entries(notice).map(([key, value]) => [key, EXACT.has(key) ? value : harmlessIn(value)] as const),
  );

function harmlessIn(value: unknown): unknown {
  if (typeof value === 'string') return harmlessText(value, NOTIFY.maxText);
  if (Array.isArray(value)) return value.map(harmlessIn);
  return typeof value === 'object' && value !== null ? harmlessNotice(value as Told) : value;
}

const line = (value: unknown): string | null =>
  typeof value === 'string' ? clip(clean(value), CHANNELS.maxNamed) : null;

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Labels are words of an agent's. */
function askIn({ ask }: Told): MessageAsk | null {
  const { number, kind, tags, shows, options } = (ask ?? {}) as Partial<Record<keyof MessageAsk, unknown>>;
  const known = ASK_KINDS.find((one) => one === kind);
  if (typeof number !== 'number' || known === undefined || !areTexts(tags) || !areTexts(shows)) return null;
  // No row may be cut any more: the options rest on all of them (offers.ts).
  if (bytesOf(shows) > ANSWERS.maxShownBytes) return null;
  const offered = (Array.isArray(options) ? options : []).flatMap((one: Partial<AskOption>) =>
    typeof one.word === 'string' && typeof one.label === 'string'
      ? [{ word: one.word, label: harmlessText(clean(one.label), ANSWERS.maxLabel), ...traitsOf(one) }]
      : [],
  );
  return { number, kind: known, tags, shows, options: offered };
}

const traitsOf = ({ text, isGrave }: Partial<AskOption>): Pick<AskOption, 'text' | 'isGrave'> => {
  return { ...((text === 'may' || text === 'must') && { text }), ...(isGrave === true && { isGrave }) };
};

function messageOf({ id, at, notice }: Spooled): Message {
  const { kind, text, session, type, together } = notice;
  const ask = askIn(notice);
  const shown = (ask?.shows ?? []).map((row) => `| ${row}`);
  const room = CHANNELS.maxText - [...shown, ''].join('\n').length;
  return {
    id,
    at,
    kind,
    severity: severityOf(notice),
    session: line(session),
    count: typeof together === 'number' ? together : 1,
    title: TITLES[kind] ?? 'town needs you',
    text: [harmlessText(text, room), ...shown].join('\n'),
    ask,
    type: Array.isArray(type) ? type.flatMap((one) => line(one) ?? []).slice(0, CHANNELS.named) : [],
  };
}

/** One message for all of these, the oldest first; many are one by their count, which names the gravest. Throws for none. */
export function messageFor(all: readonly Spooled[]): Message {
  const messages = all.map(messageOf);
  const last = messages.at(-1);
  if (last === undefined) throw new TypeError('there is no message of nothing');
  if (messages.length === 1) return last;
  const gravestFirst = messages.toSorted((one, other) => rank(other) - rank(one));
  const words = gravestFirst.slice(0, CHANNELS.named).map(({ text }) => clip(text, CHANNELS.maxNamed));
  const left = messages.length - words.length;
  const text = [
    `${String(messages.length)} messages waited for this channel:`,
    ...words,
    ...(left > 0 ? [`and ${String(left)} more`] : []),
  ];
  const count = messages.reduce((sum, one) => sum + one.count, 0);
  return {
    ...last,
    severity: gravestFirst[0]?.severity ?? last.severity,
    count,
    session: null,
    text: clip(text.join('\n'), CHANNELS.maxText),
    type: ['town status', 'town questions'],
    ask: null,
  };
}

/** What stands behind the word of an option where a person types it. */
export const meaningOf = ({ label, text }: AskOption): string => (text === 'must' ? '<your text>' : `= ${label}`);

/** As one text, for channels that have no fields of their own. */
export const plainText = ({ text, type }: Message): string => [text, ...type.map((one) => `$ ${one}`)].join('\n');
