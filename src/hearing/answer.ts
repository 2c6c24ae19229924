/**
 * Answers on a pane (D-4), strongest first: ALIVE with the code of the present attempt, then a bare ALIVE that is not ours.
 * A code is fresh and its literal answer is in no question, so it counts wherever it stands; a bare ALIVE counts only below
 * the question. Old codes pardon nothing.
 */
import type { Attempt, Sight } from '../../machines/protocol.ts';
import { plain } from '../screen/text.ts';
import { ALIVE, isBare } from './own.ts';

export type Answer = Extract<Sight, { kind: 'answered' }>;

/** What to search: rows in order, those of them that are ours, and where news begin (null = the place is lost). */
export interface Page {
  readonly rows: readonly string[];
  readonly own: ReadonlySet<number>;
  /** Rows an answer cannot stand in: a composer, where a draft is no message yet. */
  readonly input: ReadonlySet<number>;
  readonly isNews: (row: number) => boolean;
}

/** The answer on this page, or null. Pure. */
export function answerOn(page: Page, code: string): Answer | null {
  return codeAnswer(page, code) ?? bareAnswer(page);
}

const literalOf = (code: string): RegExp => new RegExp(`${ALIVE}[^0-9A-Za-z]{1,8}${code}(?![0-9A-Za-z])`, 'i');
const ANY_CODE = '[A-Z][0-9A-Z]{3}';

/** Whether words would count as an answer where they are echoed: such words are typed by nobody but the agent. */
export const readsAsAnswer = (text: string): boolean =>
  literalOf(ANY_CODE).test(text) || text.split('\n').some((line) => isBare(line));

function codeAnswer({ rows, input }: Page, code: string): Answer | null {
  const literal = literalOf(code);
  const row = rows.find((text, at) => literal.test(text) && !input.has(at));
  return row === undefined ? null : { kind: 'answered', by: 'code', quote: plain(row).trim() };
}

/** The bare word on a row of its own, below the question, not ours. */
function bareAnswer({ rows, own, input, isNews }: Page): Answer | null {
  const row = rows.find((text, at) => isBare(text) && !own.has(at) && !input.has(at) && isNews(at));
  return row === undefined ? null : { kind: 'answered', by: 'bare ALIVE', quote: plain(row).trim() };
}

/** The attempt whose answer counts: the last that was asked. null = nothing was asked yet. */
export const currentAttempt = (attempts: readonly Attempt[]): Attempt | null =>
  attempts.findLast((attempt) => attempt.mark !== null) ?? null;
