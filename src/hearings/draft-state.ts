/**
 * What of ours stands before a program, typed and not sent (D-6). Enter goes only behind our own words, seen at the cursor:
 * after a paste they stand there in every program that took it as input, and in no dialog that swallowed it.
 */
import { matches } from '../screen/matching.ts';
import type { Pack } from '../screen/pack.ts';
import { lettersOf } from '../screen/text.ts';
import type { Capture } from './capture.ts';
import type { View } from './view.ts';

/**
 * whole: our text, to its last letter · part: it is still coming in · before: it stands before unseen words, such as a
 * draft worded as the program's own suggestion, with the cursor at its beginning · empty: nothing · other: words that
 * are not ours
 */
export type DraftState = 'whole' | 'part' | 'before' | 'empty' | 'other';

/**
 * What is known of our text before a look. no: not typed · maybe: an earlier try typed it, or this process before it
 * ended · now: it was put into an empty composer a moment ago.
 */
export type Typed = 'no' | 'maybe' | 'now';

/** Fewer letters prove nothing. */
const MIN_LETTERS = 8;
/** So many letters, in our order and to our last one, can only be ours. */
const OUR_LETTERS = 40;
/** Where a program shows a paste by one word, that is in brackets. */
const FOLD = /^\[[^\]\n]*\]/;

/** What stood there before we typed is ours only as our whole text, or as its long end: a fold or a piece may be anybody's. */
export function draftStateOf(
  { screen: { composer }, pack, capture }: View,
  lines: readonly string[],
  typed: Typed,
): DraftState {
  if (composer === null) return !pack.complete && typed !== 'no' && endsAtCursor(capture, lines) ? 'whole' : 'empty';
  if (composer.draft === '') return 'empty';
  const ours = lettersOf(lines.join(''));
  // Of a text without a letter nothing tells that it is ours.
  if (typed === 'no' || ours === '') return 'other';
  return typed === 'now'
    ? pastedIn(composer.draft, ours, pack)
    : isEndOf(ours, composer.draft, OUR_LETTERS)
      ? 'whole'
      : 'other';
}

/** Whether our text, or its long end, stands there still, alone or among other words: it was not sent. */
export function holdsOurs(view: View, lines: readonly string[], typed: Typed): boolean {
  const standing = draftStateOf(view, lines, typed);
  const end = lettersOf(lines.join('')).slice(-OUR_LETTERS);
  const isAmong = end.length >= MIN_LETTERS && lettersOf(view.screen.composer?.draft ?? '').includes(end);
  return standing === 'whole' || standing === 'before' || isAmong;
}

/** A long text is shown by its end, as far as the composer is high. */
function isEndOf(ours: string, draft: string, least: number): boolean {
  const letters = lettersOf(draft);
  return letters.length >= Math.min(least, ours.length) && ours.endsWith(letters);
}

/** What a paste into an empty composer became. */
function pastedIn(draft: string, ours: string, { folded }: Pack): DraftState {
  if (matches(folded, draft) || isEndOf(ours, draft, MIN_LETTERS)) return 'whole';
  const letters = lettersOf(draft);
  if (letters.startsWith(ours) || matches(folded, FOLD.exec(draft)?.[0] ?? '')) return 'before';
  return letters !== '' && ours.includes(letters) ? 'part' : 'other';
}

/** The row of the cursor ends with our last words, where the program shows no composer that we know. */
export function endsAtCursor({ lines, historySize, cursorRow }: Capture, typed: readonly string[]): boolean {
  const letters = lettersOf(lines.findLast(({ row }) => row <= historySize + cursorRow)?.text ?? '');
  const last = lettersOf(typed.at(-1) ?? '');
  const end = letters.slice(-Math.max(last.length, MIN_LETTERS));
  const whole = lettersOf(typed.join(''));
  return whole !== '' && end.length >= Math.min(MIN_LETTERS, whole.length) && whole.endsWith(end.slice(-whole.length));
}

/** All signs of it: rows are broken anywhere, a composer may draw its sides between them, and a pane takes ours joined by dots. */
const signsOf = (text: string): string => text.replace(/[\s│┃║▌▐·]/gu, '');
/** What stands in a question behind the name of its session, in order, and what may stand before each. */
const WORDS: readonly (readonly [before: RegExp, words: string])[] = [
  [/^$/, ',respondALIVEwithin'],
  [/^\d+$/, 'sorfacetermination.Warrantreason:'],
  [/^/, 'Filedby:'],
  [/^/, 'Attempt:'],
  [/^\d+\/\d+$/, 'Toanswer,run:'],
  [/^/, 'orprintoneline:ALIVE,aspace,andthatcodewithoutitsdash'],
];

/**
 * Whether a draft is nothing but old words of ours, each whole and to the sign: questions of earlier attempts, or other texts of the town. An
 * interrupted turn, or a hook that refuses a prompt, puts them back into the composer.
 */
export function isLeftOver(draft: string, session: string, sentTexts: readonly string[]): boolean {
  let rest = signsOf(draft);
  if (rest === '') return false;
  const known = sentTexts.filter((text) => lettersOf(text).length >= MIN_LETTERS).map(signsOf);
  while (rest !== '') {
    const length = wholeAt(rest, session, known) || pieceAt(rest, session, known);
    if (length === 0) return false;
    rest = rest.slice(length);
  }
  return true;
}

/** How many signs a whole text of ours takes at the beginning; 0 = none begins there. */
const wholeAt = (signs: string, session: string, known: readonly string[]): number =>
  known.find((text) => signs.startsWith(text))?.length ?? questionAt(signs, session);

/**
 * How many signs of ours are left before the same text once more: a program put it back while we took it out, letter by letter
 * from its end. 0 = what stands there is no such rest.
 */
function pieceAt(signs: string, session: string, known: readonly string[]): number {
  for (let length = 1; length * 2 < signs.length; length += 1) {
    const again = signs.slice(length);
    if (again.startsWith(signs.slice(0, length)) && wholeAt(again, session, known) > length) return length;
  }
  return 0;
}

/** How many signs a question to this session takes at the beginning; 0 = none begins there. */
function questionAt(signs: string, session: string): number {
  const opening = signsOf(`[DOG] HEALTH CHECK: Session ${session}`);
  if (!signs.startsWith(opening)) return 0;
  let end = opening.length;
  for (const [before, words] of WORDS) {
    const at = signs.indexOf(words, end);
    if (at < 0 || !before.test(signs.slice(end, at))) return 0;
    end = at + words.length;
  }
  return end;
}
