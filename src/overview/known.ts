/** What is known of one life's screen, and of what its program asks, from one look to the next (law 7). Pure. */
import type { Instant, Ms, WallMs } from '../../machines/protocol.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';
import { joinedMarks, type Marks } from '../../machines/alerts/question.ts';
import { asksPerson } from '../screen/screen.ts';
import { dialogOf } from '../sources/question.ts';
import type { Heard } from '../sources/port.ts';
import { screenWord } from '../sources/screen-word.ts';
import { questionAfter, screenMarks, type Question } from './question.ts';
import { SHELL, UNKNOWN_PROGRAM, type PaneRead } from './read-pane.ts';
import { newsOf, type Wrote } from './standstill.ts';

/** What is known of one life's screen. */
export interface Known {
  /** How its pane stood when it was read, where nothing more could come in the same second; empty = read it again. */
  readonly place: string;
  readonly readAt: Instant;
  /** What it asks, and since when; null = nothing, or unknown. */
  readonly asks: Question | null;
  /** Its screen was known, or its program says how it is. */
  readonly isKnown: boolean;
  /** What its screen said; null = nothing that is known, or it was not read. */
  readonly word: Word | null;
  /** When the usage limit on it ends, in the program's words; null = it does not say, or there is none. */
  readonly resets: string | null;
  /** As in `Screen`. */
  readonly isCut?: true | undefined;
  /** Why its screen tells nothing, as the end of a sentence; null = it tells something, or was not read. */
  readonly unheard: string | null;
  /** What stood on its screen when that was known last; null = it never was. */
  readonly wrote: Wrote | null;
}

/** It is read again at the next look, also while it moves. */
export const unseen = (known: Known): Known => ({ ...known, place: '', readAt: -Infinity, asks: null, isKnown: false });

export type Seen = Pick<Known, 'word' | 'resets' | 'isCut' | 'unheard' | 'wrote'>;

type Stands = Pick<Known, 'place' | 'readAt'> & { readonly wall: WallMs };

export function after(before: Known | undefined, read: PaneRead | string, { wall, ...stands }: Stands): Known {
  const was = { asks: before?.asks ?? null, isKnown: before?.isKnown ?? false };
  const shown = before?.wrote ?? null;
  if (typeof read === 'string') return { ...stands, ...was, word: null, resets: null, unheard: read, wrote: shown };
  const { screen, pack, written, error, dialog } = read;
  const word = screenWord(screen, pack, { at: wall, before: before?.word ?? null });
  const unheard = word !== null ? null : screen.state === 'gone' ? SHELL : UNKNOWN_PROGRAM;
  const wrote = { ...written, error, news: newsOf(shown, written) };
  const known = { ...stands, isKnown: true, word, resets: screen.resets, unheard, wrote, isCut: screen.isCut };
  if (!asksPerson(screen)) return { ...known, asks: null };
  const { what } = screen;
  const next: Question = {
    what,
    since: stands.readAt,
    by: 'screen',
    marks: { ...screenMarks(what, dialog), ...idOf(dialog) },
  };
  return { ...known, asks: questionAfter(was.asks, next, stands.readAt) };
}

const idOf = (dialog: { readonly id: string } | null): Pick<Marks, 'id'> => (dialog === null ? {} : { id: dialog.id });

/** What its program says. `life`: its uuid. */
export interface Said extends Pick<Heard, 'asked' | 'mark'> {
  readonly word: Word;
  readonly life: string;
}

/** Its screen is read again once the program is at rest. `known`: at the last look. */
export function byProgram({ word, asked, mark, life }: Said, now: Instant, known?: Known): Known {
  const { state, detail, source, since, at } = word;
  const what = detail ?? source;
  // A program that does not tell since when has asked since it was first heard to.
  const began = since === null ? now : now - (at - since);
  const request = asked?.mark ?? asked?.id ?? mark;
  const marks = {
    program: what,
    ...(request !== undefined && { request }),
    ...idOf(asked === undefined ? null : dialogOf(asked, life)),
  };
  const next: Question = { what, since: began, by: 'program', marks };
  return {
    place: '',
    readAt: now,
    asks: state === 'asks' ? questionAfter(known?.asks ?? null, next, now) : null,
    isKnown: true,
    word: null,
    resets: null,
    unheard: null,
    wrote: known?.wrote ?? null,
  };
}

/** Its program says that it asks, and not what: the dialog on its screen names the question, soon after it began. */
export const isNameless = (known: Known | undefined, now: Instant, withinMs: Ms): boolean =>
  known?.asks?.by === 'program' && known.asks.marks.id === undefined && now - known.asks.since < withinMs;

/** With the name that its dialog gives it; the program's words stay. */
export function withName(known: Known, { dialog }: Pick<PaneRead, 'dialog'>): Known {
  const { asks } = known;
  return asks === null ? known : { ...known, asks: { ...asks, marks: joinedMarks(asks.marks, idOf(dialog)) } };
}
