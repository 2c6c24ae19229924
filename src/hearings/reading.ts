/**
 * What a picture of the target's pane holds in words: which rows are our own, which came after our question, and the answer
 * among them. Pure, but for the place of the question, which is found again where rows moved.
 */
import type { Attempt } from '../../machines/protocol.ts';
import { answerOn, wordsIn, type Answer, type Page } from './answer.ts';
import { printedIn } from './ask.ts';
import type { QuestionMemory } from './memory.ts';
import { mixedRows, ownRows, sentTextRows, saysAlive } from './echo-filter.ts';
import { rowsAfter, anchorOf, type RowsAfter } from './anchor.ts';
import type { Line } from './capture.ts';
import { lastShown } from './sent-text-filter.ts';
import type { View } from './view.ts';

/** What was typed to this life. */
export interface TypedWords {
  /** The question whose answer counts; null = none was asked yet. */
  readonly attempt: Attempt | null;
  readonly question: QuestionMemory | null;
  readonly questions: readonly (readonly string[])[];
  readonly sentTexts: readonly string[];
}

export interface Reading {
  readonly answer: Answer | null;
  /** Nothing was found, and that proves nothing; from now on it is readable again. */
  readonly isLost: boolean;
  /** Whether a line came after the question. */
  readonly isAfter: (index: number) => boolean;
  /** Lines that are ours, or mixed with ours: they count as no agent's word. */
  readonly own: ReadonlySet<number>;
  /** The last line of the last of our texts that is shown whole; null = none is. */
  readonly shown: number | null;
}

export function readingOf(view: View, { attempt, question, questions, sentTexts }: TypedWords): Reading {
  const typed = [...questions, ...sentTexts.map((text) => text.split('\n'))];
  const rows = view.capture.lines.map(({ text }) => text);
  const own = new Set([...ownRows(rows, typed), ...sentTextRows(rows, sentTexts), ...mixedRows(rows, typed)]);
  const page = { rows, own, input: inputRows(view), asked: wordsIn(typed) };
  const found = attempt?.mark && question !== null ? searched(view, page, attempt, question) : NOTHING;
  return {
    answer: found.answer,
    isLost: found.isLost,
    isAfter: found.news?.isAfter ?? (() => false),
    own,
    shown: lastShown(rows, typed),
  };
}

interface SearchResult {
  readonly answer: Answer | null;
  readonly isLost: boolean;
  readonly news: RowsAfter | null;
}
const NOTHING: SearchResult = { answer: null, isLost: false, news: null };

function searched(
  { capture, pack }: View,
  page: Omit<Page, 'isAfter'>,
  attempt: Attempt,
  question: QuestionMemory,
): SearchResult {
  if (attempt.mark === null) return NOTHING;
  const printed = printedIn({ lines: attempt.question, code: attempt.code });
  const news = rowsAfter(capture, { mark: attempt.mark, anchor: question.anchor, printed, repaints: pack.complete });
  const answer = answerOn({ ...page, isAfter: news?.isAfter ?? (() => false) }, attempt.code);
  if (answer !== null || news?.isWhole) return { answer, isLost: false, news };
  question.anchor = anchorOf(capture);
  // A full screen without a bare ALIVE shows that there is none, wherever the question began.
  const isDoubtful = page.rows.some((row, at) => saysAlive(row) && !page.own.has(at) && !page.input.has(at));
  return { answer: null, isLost: isDoubtful || !capture.alternate, news };
}

/** Indices of the lines that are a composer, or below it: what stands there was not sent. */
function inputRows({ capture, screen: { composer } }: View): ReadonlySet<number> {
  const isInput = ({ row }: Line): boolean => composer !== null && row >= capture.historySize + composer.from;
  return new Set(capture.lines.flatMap((line, index) => (isInput(line) ? [index] : [])));
}

/** The row that tells the state came after our question. */
export const cameAfter = ({ capture, screen }: View, { isAfter }: Pick<Reading, 'isAfter'>): boolean =>
  capture.lines.some(({ row }, index) => row === capture.historySize + (screen.row ?? -1) && isAfter(index));
