/**
 * Which question an agent asks, where it may have asked before: each is told to a person once, so one must not pass for another,
 * and one that only another source tells of by now must not pass for a new one.
 */
import { createHash } from 'node:crypto';
import {
  areOther,
  joinedMarks,
  MARKS,
  partOf,
  sizeOf,
  textOfMarks,
  type Marks,
} from '../../machines/alerts/question.ts';
import type { Instant } from '../../machines/protocol.ts';
import type { DialogNow } from '../hearings/dialog-now.ts';
import { contentOf, type DialogOnScreen } from '../screen/dialog.ts';

export interface Question {
  readonly what: string;
  readonly since: Instant;
  readonly by: 'program' | 'screen';
  readonly marks: Marks;
}

/** Letters and digits of its content: neither an animation nor another width changes them. */
const wordsOf = (text: string): string => contentOf(text).replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** `dialog`: what stands there of it; null = nothing that has options. */
export function screenMarks(what: string, dialog: Pick<DialogOnScreen, 'content' | 'cutTo' | 'subject'> | null): Marks {
  const screen = wordsOf(what);
  if (dialog === null) return { screen };
  const { content, cutTo, subject } = dialog;
  const words = wordsOf(content.join(' '));
  if (cutTo === null) return { screen, dialog: words };
  const part = partOf(cutTo, words);
  return subject === undefined ? { screen, part } : { screen, part, dialog: wordsOf(subject.join(' ')) };
}

/**
 * What it asks now. It is another question where a source that told of the one before tells it apart, an id of the program's before all;
 * it begins now, since a program may tell only when it began to ask at all.
 */
export function questionAfter(before: Question | null, next: Question, now: Instant): Question {
  if (before === null) return next;
  if (areOther(before.marks, next.marks)) return { ...next, since: now };
  return { ...next, since: before.since, marks: joinedMarks(before.marks, next.marks) };
}

/** Of a dialog that was looked at by itself. */
export const marksOf = (dialog: DialogNow): Marks => ({
  ...('mark' in dialog ? { request: dialog.mark } : screenMarks(dialog.question, dialog)),
  id: dialog.id,
});

/** Hexadecimal digits of a mark: enough for all questions of a life. */
const ID_DIGITS = 12;

/** Its marks as a record has them, the same in each process of the town. `life`: its uuid. */
export const questionId = (life: string, { id, ...marks }: Marks): string =>
  textOfMarks({
    ...Object.fromEntries(
      MARKS.flatMap((by) => (marks[by] === undefined ? [] : [[by, markOf(life, by, marks[by])] as const])),
    ),
    ...(id !== undefined && { id }),
  });

function markOf(life: string, by: keyof Marks, mark: string): string {
  const hash = hashOf(`${life}\n${mark}`);
  return by === 'part' ? partOf(sizeOf(mark), hash) : hash;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, ID_DIGITS);

/** Fewer letters and digits stand by chance in other words. */
const SURE_WORDS = 12;

/** Whether what its program tells of the question, as in `Bash: npm test?`, stands in the dialog on the screen. */
export function isAbout({ shows }: Pick<DialogOnScreen, 'shows'>, question: string): boolean {
  const told = question.replace(/^[\w -]+: /u, '').replace(/[…?]$/u, '');
  const rows = shows.map(wordsOf);
  // Programs shorten the folders of a path.
  if (/^\/\S+$/u.test(told)) return rows.some((row) => row.endsWith(wordsOf(told.slice(told.lastIndexOf('/')))));
  const subject = wordsOf(told);
  if (subject.length < SURE_WORDS) return subject !== '' && rows.includes(subject);
  return rows.join('').includes(subject);
}
