/**
 * What happened to a session, as a story of a few lines: each hearing one sentence, each life one, what repeats
 * counted. Every line of the journal belongs to one chapter; a chapter shows its last state, at the time of its last
 * line.
 */
import type { WrittenLine } from '../../state/journal.ts';
import { savedIn } from './hearings.ts';
import { linesOf, read, sentence, type Line } from './lines.ts';
import { span, times } from '../../machines/kernel/span.ts';
import { viaText } from './via.ts';

export interface Told {
  /** ISO, of its last line. */
  readonly at: string;
  readonly text: string;
}

interface Chapter {
  /** Consecutive chapters of the same kind become one with a count; null = never. */
  readonly fold: string | null;
  readonly lines: Line[];
}

/** Warrant -> the hearing that it led to. */
function hearingsOf(lines: readonly Line[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of lines)
    if ('warrants' in line && line.dance) for (const warrant of line.warrants) found.set(warrant, line.dance);
  return found;
}

/** The outcome of a request stands for the request. */
function isToldBelow(line: Line, next: Line | undefined): boolean {
  if (line.kind === 'clear.ordered') return true; // its end is told
  if (line.kind !== 'requested') return false;
  const { verb } = line.request;
  return verb === 'healthCheck' || verb === 'nudge' || (verb === 'startSession' && next?.chapter === 'life');
}

class Chapters {
  readonly all: Chapter[] = [];
  readonly #open = new Map<string, Chapter>();

  /** Adds to the open chapter of this key, or opens one. */
  add(key: string, fold: string | null, line: Line, closes = line.ends === true): void {
    const open = this.#open.get(key) ?? { fold, lines: [] };
    if (open.lines.length === 0) this.all.push(open);
    open.lines.push(line);
    if (closes) this.#open.delete(key);
    else this.#open.set(key, open);
  }
}

/** What of lines without a chapter is the same thing again. */
function sameAs(line: Line): string {
  const { kind } = line.written;
  if ('act' in line) return `${kind}/${line.act}`;
  return line.kind === 'requested' ? `${kind}/${sentence(line.written)}` : kind;
}

function chaptersOf(lines: readonly Line[]): readonly Chapter[] {
  const hearings = hearingsOf(lines);
  const chapters = new Chapters();
  for (const [i, line] of lines.entries()) {
    if (isToldBelow(line, lines[i + 1])) continue;
    const { check, episode, chapter, written } = line;
    const dance = line.dance ?? hearings.get(line.warrant ?? '');
    if (dance !== undefined) chapters.add(`dance/${dance}`, null, line);
    else if (check) chapters.add(`check/${check}`, 'check', line);
    else if (chapter !== undefined) chapters.add(chapter, chapter === 'life' ? chapter : null, line);
    else if (episode) chapters.add(`alert/${episode}`, `alert/${episode}`, line);
    else chapters.add(written.kind, sameAs(line), line, true);
  }
  return chapters.all;
}

const isDeath = (line: Line): boolean =>
  line.kind === 'session.backing_off' || line.kind === 'session.ended' || line.kind === 'death.noticed';
/** The life already has its sentence. */
const isGoingOn = (lines: readonly Line[]): boolean => lines.every(({ kind }) => kind === 'session.running');
const isOfHearing = ({ written: { kind } }: Line): boolean => kind.startsWith('dance.');

function filing(lines: readonly Line[]): string {
  const filed = linesOf(lines, 'warrant.filed');
  const [first] = filed;
  if (first === undefined) return 'a hearing';
  const who = `${first.requester}${viaText(first.via, first.requester)}`;
  const others = filed.length === 1 ? '' : ` and ${times(filed.length - 1, 'other')}`;
  const forced = first.force === true ? ' wanted its end without a hearing' : ' filed a warrant';
  return `${who}${others}${forced}: ${first.reason ?? ''}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  pardoned: 'pardoned',
  executed: 'ended',
  already_dead: 'it was dead already',
  void: 'void',
  failed: 'the hearing failed',
  escalated: 'left to you',
};

/** How it came out, or where it stands. */
function outcome(lines: readonly Line[]): string {
  const closed = linesOf(lines, 'dance.closed').at(-1);
  if (closed === undefined) return lines.some(isOfHearing) ? 'the hearing goes on' : 'not heard yet';
  const verdict = closed.verdict ?? '';
  const look = linesOf(lines, 'look').at(-1)?.sight.quote ?? '';
  const reason = closed.reason ?? '';
  const seen = look !== '' && !reason.includes(look) ? ` ("${look}")` : '';
  const saved = savedIn(closed.rescue);
  const word = VERDICTS[verdict] ?? verdict;
  const told = reason.startsWith(`${word} `) ? reason : `${word}: ${reason}`;
  return `${told}${seen}${saved === null ? '' : `; ${saved}`}`;
}

function hearing(lines: readonly Line[]): string {
  const stopped = linesOf(lines, 'dance.closed').find((line) => line.stopped === true);
  if (stopped !== undefined) return sentence(stopped.written);
  const asked = linesOf(lines, 'question.typed').length;
  const questions = asked === 0 ? '' : `; ${times(asked, 'question')}`;
  const id = lines.find(({ dance }) => dance)?.dance;
  return `${filing(lines)}${questions}; ${outcome(lines)}${id ? ` [${id}]` : ''}`;
}

/** From a death, or a first start, to the next life. */
function life(lines: readonly Line[], last: Line): string {
  if (last.kind !== 'session.running') return sentence(last.written);
  if (isGoingOn(lines)) return 'it ran on';
  const died = lines.find(isDeath);
  if (died === undefined) {
    const command = linesOf(lines, 'start.ordered').at(-1)?.command ?? [];
    return `it was started${command.length === 0 ? '' : ` with \`${command.join(' ')}\``}`;
  }
  const why = (('note' in died && died.note) || '').replace(/; (starts again|tried again)$/, '');
  const lostMs = Date.parse(last.at) - Date.parse(died.at);
  if (why.startsWith('starts again ')) return `it ${why.replace('starts', 'started')}, after ${span(lostMs)}`;
  // How it ended has no subject; why it could not be started has its own.
  const what = why === '' ? 'ended' : why;
  return `${/^(ended|was|stopped) /.test(`${what} `) ? 'it ' : ''}${what}; started again after ${span(lostMs)}`;
}

function alert(lines: readonly Line[], last: Line): string {
  const told = linesOf(lines, 'alert').at(-1);
  const over = linesOf(lines, 'alert.ended').at(-1);
  if (told === undefined) return sentence(last.written);
  return `${sentence(told.written)}${over === undefined ? '' : ` Over: ${over.text}`}`;
}

function textOf({ lines }: Chapter): string {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return '';
  if (lines.some((line) => isOfHearing(line) || line.kind === 'warrant.filed')) return hearing(lines);
  if (first.chapter === 'life') return life(lines, last);
  if (first.episode) return alert(lines, last);
  if (first.kind === 'nudge.ordered' && last !== first) return `${sentence(first.written)}; ${sentence(last.written)}`;
  return sentence(last.written);
}

/** A first start is no restart. */
function foldOf({ fold, lines }: Chapter): string | null {
  if (fold !== 'life' || lines.some(isDeath)) return fold;
  return isGoingOn(lines) ? 'ran on' : null;
}

const SECOND_MS = 1_000;
function timesText(count: number, ms: number): string {
  return count === 1 ? '' : ` (${count} times${ms < SECOND_MS ? '' : ` in ${span(ms)}`})`;
}

/** The story, oldest first, however long. */
export function taleOf(lines: readonly WrittenLine[]): readonly Told[] {
  const told: (Told & { readonly fold: string | null; readonly count: number; readonly since: string })[] = [];
  for (const chapter of chaptersOf(lines.map(read))) {
    const fold = foldOf(chapter);
    const at = chapter.lines.at(-1)?.at ?? '';
    const before = told.at(-1);
    const again = before !== undefined && fold !== null && before.fold === fold;
    const { count, since } = again ? before : { count: 0, since: chapter.lines[0]?.at ?? at };
    if (again) told.pop();
    told.push({ at, text: textOf(chapter), fold, count: count + 1, since });
  }
  return told
    .map(({ at, text: line, count, since }) => ({
      at,
      text: `${line}${timesText(count, Date.parse(at) - Date.parse(since))}`,
    }))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}
