/**
 * Answers on a pane (D-4), strongest first:
 * 1. the code without its dash: it stands in no question, so its writer has read one;
 * 2. the code with its dash on such a row, together with a word that no question holds, or with ALIVE behind it;
 * 3. a bare ALIVE below the question, in the agent's own words. A code is fresh, so 1 counts wherever it stands. Old
 *    codes pardon nothing.
 */
import type { Attempt, Observation } from '../../machines/protocol.ts';
import { plain } from '../screen/text.ts';
import { ALIVE, isBare, saysAlive } from './echo-filter.ts';

export type Answer = Extract<Observation, { kind: 'answered' }>;

/** What to search: rows in order, those of them that are ours, and where news begin (null = the place is lost). */
export interface Page {
  readonly rows: readonly string[];
  readonly own: ReadonlySet<number>;
  /** Rows an answer cannot stand in: a composer, where a draft is no message yet. */
  readonly input: ReadonlySet<number>;
  readonly isAfter: (row: number) => boolean;
  /** The words of every question. */
  readonly asked: ReadonlySet<string>;
}

/** The answer on this page, or null. Pure. */
export function answerOn(page: Page, code: string): Answer | null {
  return codeAnswer(page, code) ?? printedAnswer(page, code) ?? bareAnswer(page);
}

const ALONE = { before: '(?<![0-9A-Za-z])', after: '(?![0-9A-Za-z])' };
const ANSWER = new RegExp(`${ALIVE}[^0-9A-Za-z]{1,8}[A-Z][0-9A-Z]{3}${ALONE.after}`, 'i');

/** Whether an echo of these words would count as an answer: only the agent itself may type such words. */
export const readsAsAnswer = (text: string): boolean =>
  ANSWER.test(text) || text.split('\n').some((line) => isBare(line) || saysAlive(line));

/** The words of these questions, for `Page.asked`. */
export const wordsIn = (questions: readonly (readonly string[])[]): ReadonlySet<string> =>
  new Set(questions.flat().flatMap(words));

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function codeAnswer(page: Page, code: string): Answer | null {
  const literal = new RegExp(`${ALONE.before}${code}${ALONE.after}`, 'i');
  return found(page, (text) => literal.test(text), 'code');
}

/** Fewer letters are the rest of a word that was cut at an edge. */
const MIN_LETTERS = 3;

function printedAnswer(page: Page, code: string): Answer | null {
  const printed = `${code.slice(0, 2)}-${code.slice(2)}`;
  const shown = new RegExp(`${ALONE.before}${printed}${ALONE.after}`, 'i');
  const turned = new RegExp(`${printed}\\W+${ALIVE}`, 'i');
  const isForeign = (word: string): boolean => word.length >= MIN_LETTERS && !page.asked.has(word);
  const says = (text: string): boolean => turned.test(text) || words(text).some(isForeign);
  return found(page, (text, at) => shown.test(text) && !page.own.has(at) && page.isAfter(at) && says(text), 'code');
}

/** The bare word on a row of its own, below the question, not ours. */
const bareAnswer = (page: Page): Answer | null =>
  found(page, (text, at) => saysAlive(text) && !page.own.has(at) && page.isAfter(at), 'bare ALIVE');

function found({ rows, input }: Page, fits: (text: string, at: number) => boolean, by: Answer['by']): Answer | null {
  const row = rows.find((text, at) => !input.has(at) && fits(plain(text), at));
  return row === undefined ? null : { kind: 'answered', by, quote: plain(row).trim() };
}

/** The attempt whose answer counts: the last that was asked. null = nothing was asked yet. */
export const currentAttempt = (attempts: readonly Attempt[]): Attempt | null =>
  attempts.findLast((attempt) => attempt.mark !== null) ?? null;
