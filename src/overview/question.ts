/**
 * Which question an agent asks, where it may have asked before: each is told to a person once, so one must not pass for another,
 * and one that only another source tells of by now must not pass for a new one.
 */
import { createHash } from 'node:crypto';
import type { Instant } from '../../machines/protocol.ts';

/** How each source tells a question from others: the program by an id of its own, by its words, or the screen by its words. */
type Marks = Readonly<Partial<Record<'request' | 'program' | 'dialog' | 'screen', string>>>;

export interface Question {
  readonly what: string;
  readonly since: Instant;
  readonly by: 'program' | 'screen';
  readonly marks: Marks;
}

/** Letters of a screen: neither an animation nor another width changes them. */
const lettersOf = (text: string): string => text.replaceAll(/\P{L}+/gu, '');

/** `dialog`: all words of it; null = a part of it is out of sight. */
export const screenMarks = (what: string, dialog: string | null): Marks => ({
  screen: lettersOf(what),
  ...(dialog !== null && { dialog: lettersOf(dialog) }),
});

/**
 * What it asks now. It is another question where a source that told of the one before tells it apart, an id of the program's before all;
 * it begins now, since a program may tell only when it began to ask at all.
 */
export function questionAfter(before: Question | null, next: Question, now: Instant): Question {
  if (before === null) return next;
  const differs = (by: keyof Marks): boolean =>
    before.marks[by] !== undefined && next.marks[by] !== undefined && before.marks[by] !== next.marks[by];
  const hasIds = before.marks.request !== undefined && next.marks.request !== undefined;
  const isOther = hasIds ? differs('request') : differs('program') || differs('dialog') || differs('screen');
  if (isOther) return { ...next, since: now };
  return { ...next, since: before.since, marks: { ...before.marks, ...next.marks } };
}

/** Hexadecimal digits of an id: enough for all questions of a life. */
const ID_DIGITS = 12;

/** The same in each process of the town. `life`: its uuid. */
export function questionId(life: string, { request, program, dialog, screen }: Marks): string {
  const mark = request ?? program ?? dialog ?? screen ?? '';
  return createHash('sha256').update(`${life}\n${mark}`).digest('hex').slice(0, ID_DIGITS);
}
