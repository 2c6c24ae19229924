/**
 * A question that a program holds open and takes an answer to by its own id: no key is pressed for it, and an answer to one that is
 * over changes nothing.
 */
import { ALWAYS } from '../../machines/channels/answers.ts';
import { dialogId, type Dialog, type Offered } from '../screen/dialog.ts';
import { holdSecret, redact } from '../screen/redact.ts';
import { SOURCES } from './policy.ts';

/**
 * `taken`: by the program. `over`: it was answered before, or taken back. `unknown`: the program did not say. With `why`: the text is no
 * answer, so the program got none.
 */
export type Taken = 'taken' | 'over' | 'unknown' | { readonly why: string };

export interface Asked {
  /** The program's own. */
  readonly id: string;
  /** Tells it from others where its id is of this process of the town alone; absent = its id does. */
  readonly mark?: string;
  /** As `Dialog.expiresAt`. */
  readonly expiresAt?: Dialog['expiresAt'];
  readonly kind: Dialog['kind'];
  readonly question: string;
  /** What it is about, line by line. */
  readonly shows: readonly string[];
  /** All of it as its program gave it, as `Dialog.whole`: a rule compares it, and rows that look alike to people are not the same. */
  readonly whole: Dialog['whole'];
  /** What gives this one answer, and what gives more where its program says what. */
  readonly offers: readonly Offered[];
  /** Labels that only a person at its pane chooses. */
  readonly withheld: readonly string[];
  /** `label`: of one of `offers`. `text`: behind one that takes it. Never rejects. */
  readonly answer: (label: string, text?: string) => Promise<Taken>;
  /** Whether its program is past this very question; it may ask another one. False where that cannot be seen. Never rejects. */
  readonly isOver: () => Promise<boolean>;
}

/** As a person far from its pane sees it. `life`: its uuid. A question with other words has another id, also if its program gives both one name. */
export function dialogOf({ id, mark: _, answer: __, isOver: ___, ...asked }: Asked, life: string): Dialog {
  return {
    id: dialogId('request', [life, id, asked.question, ...(asked.whole ?? asked.shows)]),
    way: 'request',
    ...asked,
  };
}

const NO_OWNER = { homes: [], users: [], hosts: [] };

const inOneLine = (text: string): string => text.slice(0, SOURCES.maxAskedChars).replaceAll(/\s+/g, ' ');
const isLong = (line: string): boolean => line.length > SOURCES.maxDetailChars;

/** One line without secrets: it goes to a person's telephone too. What is not whole says so. */
export function lineOf(text: string): string {
  const line = redact([inOneLine(text)], NO_OWNER).join(' ');
  return isLong(line) ? `${line.slice(0, SOURCES.maxDetailChars - 1)}…` : line;
}

/** Lines of a terminal, as many as a person reads, and all of them as they are where that is all. */
export function linesOf(lines: readonly string[]): Pick<Asked, 'shows' | 'whole'> {
  const most = SOURCES.maxShown;
  // A secret may have several lines.
  const shown = redact(lines.slice(0, most).map(inOneLine), NO_OWNER).map(lineOf);
  if (lines.length > most)
    return { shows: [...shown.slice(0, most - 1), `… ${lines.length - most + 1} more lines`], whole: null };
  const isCut = lines.some((line) => line.length > SOURCES.maxAskedChars || isLong(inOneLine(line)));
  return { shows: shown, whole: isCut || holdSecret(lines) ? null : lines };
}

/** A question and what may be chosen; its options stand elsewhere too. */
export function choiceLines(questions: readonly string[], options: readonly Choice[]): Pick<Asked, 'shows' | 'whole'> {
  const asked = questions.flatMap((one) => one.split('\n'));
  const choices = options.map(({ label, description = '' }, at) =>
    [`${at + 1}. ${label}`, ...(description === '' ? [] : [description])].join(': '),
  );
  return { shows: linesOf(questions).shows, whole: linesOf([...asked, ...choices]).whole };
}

export const ONCE = 'Allow once';
export const REJECT = 'Reject';
export const MORE = 'Allow always';
const ONCE_OR_NOT: readonly Offered[] = [
  { label: ONCE, word: 'yes', does: `allow this once: choose ${JSON.stringify(ONCE)}` },
  { label: REJECT, word: 'no', does: `refuse: choose ${JSON.stringify(REJECT)}` },
];

/**
 * Of a permission. `gives`: what its program would do from then on, by its own fields; undefined = it would ask each time, null = it does not
 * say, so that only its pane gives more. So it is with what has no room in a row, and with a secret.
 */
export function permissionOffers(gives: string | null | undefined): Pick<Asked, 'offers' | 'withheld'> {
  if (gives === undefined) return { offers: ONCE_OR_NOT, withheld: [] };
  const does = `allow this, and ${gives ?? ''}`;
  const isShown = gives !== null && does === inOneLine(does) && !isLong(does) && !holdSecret([does]);
  if (!isShown) return { offers: ONCE_OR_NOT, withheld: [MORE] };
  return { offers: [...ONCE_OR_NOT, { label: MORE, word: ALWAYS, does, isGrave: true }], withheld: [] };
}

interface Choice {
  readonly label: string;
  readonly description?: string | undefined;
}

const OWN_WORDS = 'Other';
/** Of a question that takes an answer in a person's own words too. */
export const IN_OWN_WORDS: Offered = {
  label: OWN_WORDS,
  word: 'other',
  does: 'answer it with your text',
  text: 'must',
};

/** Of a question with options: a person types their numbers. */
export const choiceOffers = (options: readonly Choice[]): Offered[] =>
  options.map(({ label, description = '' }, at) => {
    const words = description === '' ? '' : `: ${description}`;
    return { label, word: String(at + 1), does: lineOf(`choose ${JSON.stringify(label)}${words}`) };
  });
