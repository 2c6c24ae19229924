/**
 * A dialog as a person may answer it from elsewhere (A-1, A-3): what it shows, what may be chosen, and the keys that this very
 * dialog offers for it.
 * 1. Its id is made of the life and of all that stands on the screen down to its last option: another dialog, the same one
 *    once more below other words, and one of another life have other ids.
 * 2. An option is offered only where its words give this one answer, and a yes only in words that are known here. Two give more, and are
 *    grave. Trust in a folder is offered at the terminal, and on channels by its name. "always" is offered only where the configuration names
 *    it and the option says what for, in one row that is whole.
 * 3. Without a complete pack, in a narrow terminal, where no pointer was seen, or with a field for words open, nothing is offered. Pure.
 */
import { createHash } from 'node:crypto';
import { isOfferedBy } from '../../machines/channels/answers.ts';
import type { WallMs } from '../../machines/protocol.ts';
import { cutAt } from '../terminal/columns.ts';
import { matches } from './matching.ts';
import { hasOpenField } from './menu.ts';
import type { Pack } from './pack.ts';
import { READING } from './policy.ts';
import { holdSecret } from './redact.ts';
import type { Option, Picture, Screen } from './screen.ts';
import { isBlank, plain } from './text.ts';
import { withinOr } from './time-limit.ts';

/** What may be chosen from elsewhere. */
export interface Offered {
  readonly label: string;
  /** What a person types for it. */
  readonly word: string;
  readonly does: string;
  /** The answer is what the person writes behind it. */
  readonly text?: 'must';
  /** It gives more than this one answer. */
  readonly isGrave?: true;
}
export interface Offer extends Option, Offered {}

/** `named`: words of options in the configuration. What it had to name and did not is left to its pane. */
export function onlyNamed<D extends Pick<Dialog, 'offers' | 'withheld'>>(dialog: D, named: readonly string[]): D {
  const offers = dialog.offers.filter(isOfferedBy(named));
  const unnamed = dialog.offers.filter((one) => !offers.includes(one)).map(({ label }) => label);
  return { ...dialog, offers, withheld: [...dialog.withheld, ...unnamed] };
}

export interface Dialog {
  readonly id: string;
  /** How an answer reaches it: by the program's own id of it, or by keys that are read off it. */
  readonly way: 'request' | 'keys';
  /** Until then its program takes an answer this way; afterwards the dialog stands, and only keys answer it. Absent = its program tells no such time. */
  readonly expiresAt?: WallMs | undefined;
  /** Whether it asks for a right, or for a choice. */
  readonly kind: 'permission' | 'question';
  readonly question: string;
  /** Its rows down to its last option, the beginning left out where they are many. */
  readonly shows: readonly string[];
  /** All rows of what it is about; null = some of it is cut, hidden or out of sight, so that only its pane shows what a yes gives. */
  readonly whole: readonly string[] | null;
  readonly offers: readonly Offered[];
  /** Labels that only a person at its pane chooses. */
  readonly withheld: readonly string[];
}

/** One that is read off a screen, and answered with the keys that stand there. */
export interface DialogOnScreen extends Dialog {
  readonly offers: readonly Offer[];
  /** Rows that no animation changes: of all of it, or of what is in sight. */
  readonly content: readonly string[];
  /** The size of the terminal where a part of it is out of sight or cut: in another size another part is. null = `content` is of all of it. */
  readonly cutTo: string | null;
  /** Its words that stand there in each size, where only its options may be cut; absent = not known, or all of `content` are. */
  readonly subject?: readonly string[];
}

export interface Seen {
  readonly pack: Pick<Pack, 'complete' | 'dialog' | 'limit'>;
  readonly screen: Screen;
  readonly picture: Pick<Picture, 'rows' | 'width'>;
}

/** Rows that a person is shown of it. */
const MAX_SHOWN = 20;
const ID_DIGITS = 9;
/** Before these, of the life that asks. */
const LIFE_DIGITS = 6;
const PREFIX: Readonly<Record<Dialog['way'], string>> = { keys: 'dialog-', request: 'request-' };
/** Whether this is the id of a question that its program takes an answer to by an id of its own. */
export const isRequest = (id: string): boolean => id.startsWith(PREFIX.request);

/** null = no dialog with options stands there. */
export function dialogOn({ pack, screen, picture }: Seen, life: string): DialogOnScreen | null {
  const { state, options, what, columns } = screen;
  if (state !== 'blocked' || options.length === 0) return null;
  const rows = picture.rows.map((row) => cutAt(plain(row), columns ?? Infinity)[0].trimEnd());
  const last = rows.findLastIndex((row) => options.some(({ label }) => row.includes(label)));
  const stand = rows.slice(0, last + 1).filter((row, at) => !isBlank(row) && !screen.animated.includes(at));
  const isWide = (picture.width ?? 0) >= READING.narrowColumns;
  const isSure = pack.complete && last >= 0 && isWide && !hasOpenField(rows.slice(last + 1));
  const about = aboutOf(options, what);
  const width = Math.min(columns ?? Infinity, picture.width ?? 0);
  const begins = (row: string): boolean => withinOr(pack, () => matches(pack.dialog, row), false);
  const asks = { options, what, isRight: about.isRight, begins };
  const stands = standOf(rows.slice(0, last + 1), asks, width);
  const { all, isCut, isFramed } = stands;
  const moving = new Set(screen.animated.map((at) => rows[at]));
  const offers = isSure ? offersOf(options, about, rows) : [];
  const offered = new Set(offers.map(({ label }) => label));
  return {
    id: dialogId('keys', [life, ...stand.map(contentOf), ...options.map(({ label }) => label)]),
    way: 'keys',
    kind: about.isRight || about.isLasting ? 'permission' : 'question',
    question: what,
    shows: stand.slice(-MAX_SHOWN),
    whole: isCut || !isFramed || all.length > MAX_SHOWN || holdSecret(all) ? null : all,
    content: all.filter((row) => !moving.has(row)),
    ...sizedOf(stands, options, `${width}x${picture.rows.length}`),
    offers,
    withheld: options.map(({ label }) => label).filter((label) => !offered.has(label)),
  };
}

/** Programs cut an option behind more than this, where its terminal is wide enough to choose in. */
const SURE_LABEL = 12;

/** What of it stands in each size: down to its first option, and how each option begins. */
function sizedOf(
  { all, isCut, isFramed }: Stands,
  options: readonly Option[],
  size: string,
): Pick<DialogOnScreen, 'cutTo' | 'subject'> {
  if (isCut) return { cutTo: size };
  if (isFramed) return { cutTo: null };
  const first = all.findIndex((row) => options.some(({ label }) => row.includes(label)));
  const labels = options.map(({ label }) => label.slice(0, SURE_LABEL));
  return { cutTo: size, subject: [...all.slice(0, Math.max(first, 0)), ...labels] };
}

/** The upper edge of a dialog, from one side of the terminal to the other: what stands inside begins further right. */
const EDGE = /^[╭┌]?[─━]+[╮┐]?$/u;
/** Programs say so where they show only a part. */
const PART = /…|\.\.\.[\s│┃]*$|\b\d+ (?:more )?(?:lines?|rows?)\b|\b(?:lines?|rows?) hidden\b/iu;
/** Columns that an edge may leave free. */
const MARGIN = 2;
/** Of a question, by which its row is found. */
const FIRST_WORDS = 3;

/** From its upper edge, or the first row that its pack knows, down to its last option; cut = that edge is out of sight, or the program shows only a part. */
function standOf(rows: readonly string[], { options, what, isRight, begins: isFirstRow }: Asks, width: number): Stands {
  const last = (begins: (row: string) => boolean): number =>
    rows.findLastIndex(
      (row, at) => begins(row) && options.every(({ label }) => rows.slice(at).some((one) => one.includes(label))),
    );
  // Without a known width any rule of a table would pass for the edge.
  const isEdge = (row: string): boolean => width > 0 && EDGE.test(row) && row.length >= width - MARGIN;
  const edge = last((row) => isEdge(row) || isFirstRow(row));
  const question = last((row) => row.includes(what.split(' ', FIRST_WORDS).join(' ')));
  const isFirst = question >= 0 && (!isRight || standsOver(rows.slice(question + 1), options));
  const from = edge >= 0 ? edge : isFirst ? question : 0;
  const all = rows.slice(from).filter((row) => !isBlank(row));
  const isPart = all.some((row) => PART.test(row) && !options.some(({ label }) => row.includes(label)));
  return { all, isCut: edge < 0 || isPart, isFramed: edge >= 0 && isEdge(rows[edge] ?? '') };
}

/**
 * Whether what a right is for stands between its question and its options: what is further above is the conversation, where other rows may
 * come while the dialog stands. A question next to its options is below what it is for, and how far that reaches is not known.
 */
function standsOver(below: readonly string[], options: readonly Option[]): boolean {
  const option = below.findIndex((row) => options.some(({ label }) => row.includes(label)));
  return below.slice(0, Math.max(option, 0)).some((row) => !isBlank(row));
}

/** `what`: its question. `isRight`: it asks for a right. `begins`: whether its pack knows this as the first row of a dialog. */
interface Asks {
  readonly options: readonly Option[];
  readonly what: string;
  readonly isRight: boolean;
  readonly begins: (row: string) => boolean;
}
interface Stands {
  readonly all: readonly string[];
  readonly isCut: boolean;
  /** It begins with an edge. */
  readonly isFramed: boolean;
}

/** `(5s)`, `(12s · esc to interrupt)`: what a frame counts. The digits of a command stand otherwise. */
const TIMER = /\(\d+(?:[.:]\d+)*\s?(?:ms|s|sec|seconds|m|min|h)(?: \d+s)?(?: ?[·•,] [^()]*)?\)/giu;

/** What of a row tells one question from another: the pointer moves and a timer counts without another question coming. */
export const contentOf = (row: string): string =>
  row
    .replace(TIMER, ' ')
    .replace(/[❯›●>▶→◉◆▸*➤⏵○◯]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();

/** `parts`: the life first, then all that tells this dialog from others. */
export const dialogId = (way: Dialog['way'], [life = '', ...parts]: readonly string[]): string =>
  `${PREFIX[way]}${digitsOf(life, LIFE_DIGITS)}${digitsOf([life, ...parts].join('\n'), ID_DIGITS)}`;

/** Whether one life asks both: a program that has the id of a question that is over can be told that the next one stands. */
export const isOfSameLife = (one: string, other: string): boolean =>
  lifeIn(one) !== '' && lifeIn(one) === lifeIn(other);

/** Whether a question of this id is of this life, by its uuid: false only where it is not. */
export const mayBeOf = (id: string, life: string | null): boolean =>
  life === null || lifeIn(id) === '' || lifeIn(id) === digitsOf(life, LIFE_DIGITS);

const lifeIn = (id: string): string => /^[a-z]+-(\d+)$/.exec(id)?.[1]?.slice(0, -ID_DIGITS) ?? '';

const digitsOf = (text: string, digits: number): string => {
  const number = createHash('sha256').update(text).digest().readUIntBE(0, 6) % 10 ** digits;
  return String(number).padStart(digits, '0');
};

/** Questions about more than one act: even their plain yes lasts. */
const LASTING_QUESTION =
  /\b(?:trust|api key|mode|bypass|permissions?|full access|mcp|hooks?|default|always|remember|sign in|log ?in)\b(?! required)/iu;
/** Words by which a choice outlasts this one answer. */
const LASTING =
  /\b(?:always|again|session|remember|future|auto-?\w*|mode|yolo|trust\w*|from now on|permanent\w*|permissions?|(?:allow|white) ?list|never|bypass|don['’]t ask|every(?:thing|where))\b/iu;
const TRUST_QUESTION = /\btrust\b/iu;
const TRUST = /\btrust\w*\b/giu;
/** Of one folder, not of its parents or of what runs in it. */
const TRUSTS = /^(?:yes, i trust this folder|trust and continue|trust (?:this )?folder(?: \([^()]*\))?)$/iu;
const LASTING_NO = /\b(?:again|always|never|remember|session|future|until)\b/iu;
/** Options that open a field for words. */
const OPENS_FIELD = /^(?:type|chat|other|enter a|something else|modify|edit|amend|custom)\b|\beditor\b/iu;
/** A dialog with such an option asks for a right, and only a yes or a no of known words answers it once. */
const RIGHTS = /^(?:yes|no|allow|approve|accept|grant|deny|reject|decline|refuse|skip|trust|don['’]t)\b/iu;
const REFUSES = /^(?:no|reject|deny|decline|refuse|cancel|skip|don['’]t (?:run|trust))\b/iu;
const GRANTS_ONCE =
  /^(?:yes(?:, (?:proceed|allow once|run it|run once|once))?|(?:allow|approve|accept|run|apply)(?: once)?|run \(once\)|proceed)$/iu;
/** It says what for, in itself or in the rows above it. */
const GRANTS_MORE = /^(?:yes, (?:and )?(?:don['’]t ask again for|always allow|allow reading from)|always allow):? \S/iu;
/** The name of its key says nothing of what an option gives. */
const KEY_NAME = /\((?:[a-z0-9]|esc|enter|tab|return|esc or [a-z])\)/giu;

type Kind = 'yes' | 'no' | 'trust' | 'always' | 'other';
interface About {
  /** It asks for trust in a folder, and for nothing else that lasts. */
  readonly isTrust: boolean;
  readonly isRight: boolean;
  readonly isLasting: boolean;
}

const wordsOf = (label: string): string => label.replace(KEY_NAME, '').trim();

/** null = not offered. */
function kindOf(option: Option, { isRight, isLasting, isTrust }: About): Kind | null {
  const words = wordsOf(option.label);
  const isUnsure = option.isGuessed === true || option.keys.length === 0 || words === '' || /^\[|…$/u.test(words);
  if (isUnsure) return null;
  if (REFUSES.test(words)) return LASTING_NO.test(words) ? null : 'no';
  if (isTrust && TRUSTS.test(words)) return 'trust';
  if (GRANTS_MORE.test(words) && !isLasting) return 'always';
  if (LASTING.test(words) || OPENS_FIELD.test(words)) return null;
  if (isLasting) return null;
  if (GRANTS_ONCE.test(words)) return 'yes';
  return isRight ? null : 'other';
}

const aboutOf = (options: readonly Option[], question: string): About => ({
  isRight: options.some(({ label }) => RIGHTS.test(wordsOf(label))),
  isLasting: LASTING_QUESTION.test(question),
  isTrust: asksTrust(question.split('?', 1)[0] ?? ''),
});

/** What a program says behind its question explains it. */
const asksTrust = (asked: string): boolean =>
  TRUST_QUESTION.test(asked) && !LASTING_QUESTION.test(asked.replaceAll(TRUST, ''));

const NUMBER = /^[^\p{L}\p{N}]*(\d{1,2})[.):]\s+/u;

/** Whether its words end in its row: the next row begins the option with the next number. */
function isWholeRow(rows: readonly string[], { label }: Option, next: Option | undefined): boolean {
  const at = rows.findLastIndex((row) => row.includes(label));
  const [own, below] = [rows[at] ?? '', rows[at + 1] ?? ''].map((row) => NUMBER.exec(row));
  if (!own || !below || next === undefined) return false;
  return Number(below[1]) === Number(own[1]) + 1 && below.input.slice(below[0].length).startsWith(next.label);
}

function offersOf(options: readonly Option[], about: About, rows: readonly string[]): Offer[] {
  const kinds = options.map((option) => kindOf(option, about));
  return options.flatMap((option, at) => {
    const kind = kinds[at] ?? null;
    if (kind === null) return [];
    const isOnly = kind !== 'other' && kinds.filter((one) => one === kind).length === 1;
    if (kind === 'always' && !(isOnly && isWholeRow(rows, option, options[at + 1]))) return [];
    const offer = { ...option, word: isOnly ? kind : String(at + 1), does: doesOf(kind, option.label) };
    return [kind === 'trust' || kind === 'always' ? { ...offer, isGrave: true as const } : offer];
  });
}

function doesOf(kind: Kind, label: string): string {
  const quoted = JSON.stringify(label);
  if (kind === 'yes') return `allow this once: choose ${quoted}`;
  if (kind === 'trust') return `let it trust the folder from now on: choose ${quoted}`;
  if (kind === 'always') return `allow this, and more from now on: choose ${quoted}`;
  return kind === 'no' ? `refuse: choose ${quoted}` : `choose ${quoted}`;
}
