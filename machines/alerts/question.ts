/**
 * Which question an episode is about, of those that one agent asks one after the other. Each source has a mark of its own for it, and after
 * a restart not all of them tell at once: all marks stand in the record, and one that is missing tells no question from another. Pure.
 */

/**
 * By an id of what asks (its program's own, or that of a dance), by its words, by all words of the dialog, by those in sight where not all
 * are, by its first words on the screen, by the words of what the agent reported that it needs.
 */
export const MARKS = ['request', 'program', 'dialog', 'part', 'screen', 'report'] as const;
/** `id`: the name that it got at its first sight, which it keeps; it tells no question from another. */
export type Marks = Readonly<Partial<Record<(typeof MARKS)[number] | 'id', string>>>;
const IN_RECORDS = [...MARKS, 'id'] as const;

/** A mark by the words in sight: in a terminal of another size other words are, of the same dialog. */
export const partOf = (size: string, mark: string): string => `${size}-${mark}`;
export const sizeOf = (part: string | undefined): string => part?.split('-', 1)[0] ?? '';

/**
 * Where both have an id of the program's, it alone counts: the words for one question may change. What an agent reported and what its
 * dialog asks are two questions.
 */
export function areOther(before: Marks, next: Marks): boolean {
  if ((before.report === undefined) !== (next.report === undefined)) return true;
  const differs = (by: keyof Marks): boolean =>
    before[by] !== undefined &&
    next[by] !== undefined &&
    before[by] !== next[by] &&
    (by !== 'part' || sizeOf(before.part) === sizeOf(next.part));
  const hasIds = before.request !== undefined && next.request !== undefined;
  return hasIds ? differs('request') : MARKS.some(differs);
}

/** As a record has them; no mark may hold a blank or a colon. */
export const textOfMarks = (marks: Marks): string =>
  IN_RECORDS.flatMap((by) => (marks[by] === undefined ? [] : [`${by}:${marks[by]}`])).join(' ');

/** What an older town wrote has none. */
export const marksIn = (text: string): Marks =>
  Object.fromEntries(
    text.split(' ').flatMap((one) => {
      const [by = '', mark] = one.split(':', 2);
      return mark !== undefined && IN_RECORDS.some((known) => known === by) ? [[by, mark] as const] : [];
    }),
  );

/** Of one question, the later mark of each source; its name is the first. */
export function joinedMarks(before: Marks, next: Marks): Marks {
  const id = before.id ?? next.id;
  return { ...before, ...next, ...(id !== undefined && { id }) };
}

/** The name of this question; undefined = it has none on record. */
export const idIn = (question: string | undefined): string | undefined => marksIn(question ?? '').id;

/** Whether an agent reported that it needs this; false also where nothing is known of the question. */
export const isReport = (question: string | undefined): boolean => marksIn(question ?? '').report !== undefined;

/** Of two texts of marks; without one nothing is known of it. */
export const isOtherQuestion = (before: string | undefined, next: string | undefined): boolean =>
  before !== undefined && next !== undefined && areOther(marksIn(before), marksIn(next));

/** All that is known of one question. */
export const joinedQuestion = (before: string | undefined, next: string | undefined): string | undefined =>
  before === undefined || next === undefined
    ? (next ?? before)
    : textOfMarks(joinedMarks(marksIn(before), marksIn(next)));

export const withQuestion = <One extends { readonly question?: string | undefined }>(
  one: One,
  question: string | undefined,
): One => (question === undefined ? one : { ...one, question });
