/**
 * What happened to a session, as a story of a few lines: each hearing one sentence, each life one, what repeats counted.
 * Every line of the journal belongs to one chapter; a chapter is told by its last state, at the time of its last line.
 */
import type { WrittenLine } from '../../state/journal.ts';
import { clean } from '../terminal/print.ts';
import { part, savedIn, sentence } from './sentences.ts';
import { span, times } from './span.ts';
import { viaText } from './via.ts';

export interface Told {
  /** ISO, of its last line. */
  readonly at: string;
  readonly text: string;
}

interface Chapter {
  /** What comes of the same kind one after the other is told once, with a count; null = never. */
  readonly fold: string | null;
  readonly lines: WrittenLine[];
}

const text = (value: unknown): string => (typeof value === 'string' ? clean(value) : '');
const LIFE = /^(session\.|start\.ordered$|end\.wanted$|death\.noticed$)/;
const SETTLED = new Set(['session.running', 'session.observed', 'session.ended']);

/** Warrant -> the hearing that it led to. */
function hearingsOf(lines: readonly WrittenLine[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const { dance, warrants } = line;
    if (typeof dance !== 'string' || !Array.isArray(warrants)) continue;
    for (const warrant of warrants) if (typeof warrant === 'string') found.set(warrant, dance);
  }
  return found;
}

/** A request is told by what came of it. */
function isToldBelow({ kind, request }: WrittenLine, next: WrittenLine | undefined): boolean {
  if (kind !== 'requested') return false;
  const verb = part(request, 'verb');
  return verb === 'healthCheck' || verb === 'nudge' || (verb === 'startSession' && LIFE.test(next?.kind ?? ''));
}

class Chapters {
  readonly all: Chapter[] = [];
  readonly #open = new Map<string, Chapter>();

  /** Adds to the open chapter of this key, or opens one. */
  add(key: string, fold: string | null, line: WrittenLine, closes = false): void {
    const open = this.#open.get(key) ?? { fold, lines: [] };
    if (open.lines.length === 0) this.all.push(open);
    open.lines.push(line);
    if (closes) this.#open.delete(key);
    else this.#open.set(key, open);
  }
}

function chaptersOf(lines: readonly WrittenLine[]): readonly Chapter[] {
  const hearings = hearingsOf(lines);
  const chapters = new Chapters();
  for (const [i, line] of lines.entries()) {
    const { kind } = line;
    if (isToldBelow(line, lines[i + 1])) continue;
    const dance = text(line['dance']) || hearings.get(text(line['warrant']));
    const [check, episode] = [text(line['check']), text(line['episode'])];
    if (dance !== undefined) chapters.add(`dance/${dance}`, null, line);
    else if (check !== '') chapters.add(`check/${check}`, 'check', line, kind === 'health.ended');
    else if (LIFE.test(kind)) chapters.add('life', 'life', line, SETTLED.has(kind));
    else if (episode !== '') chapters.add(`alert/${episode}`, `alert/${episode}`, line, kind === 'alert.ended');
    else if (kind.startsWith('nudge.')) chapters.add('nudge', null, line, kind !== 'nudge.ordered');
    else chapters.add(kind, kind, line, true);
  }
  return chapters.all;
}

const isDeath = (line: WrittenLine): boolean => line.kind === 'session.backing_off' || line['exit'] !== undefined;

const find = (lines: readonly WrittenLine[], kind: string): WrittenLine | undefined =>
  lines.findLast((line) => line.kind === kind);

function accusation(lines: readonly WrittenLine[]): string {
  const filed = lines.filter(({ kind }) => kind === 'warrant.filed');
  const [first] = filed;
  if (first === undefined) return 'a hearing';
  const who = `${text(first['requester'])}${viaText(first['via'], first['requester'])}`;
  const others = filed.length === 1 ? '' : ` and ${times(filed.length - 1, 'other')}`;
  const forced = first['force'] === true ? ' wanted its end without a hearing' : ' accused it';
  return `${who}${others}${forced}: ${text(first['reason'])}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  ...{ pardoned: 'pardoned', executed: 'ended', already_dead: 'it was dead already', void: 'void' },
  ...{ failed: 'the hearing failed', escalated: 'left to you' },
};

/** How it came out, or where it stands. */
function outcome(lines: readonly WrittenLine[]): string {
  const closed = find(lines, 'dance.closed');
  if (closed === undefined)
    return lines.some(({ kind }) => kind.startsWith('dance.')) ? 'the hearing goes on' : 'not heard yet';
  const verdict = text(closed['verdict']);
  const look = part(find(lines, 'look')?.['sight'], 'quote');
  const reason = text(closed['reason']);
  const seen = typeof look === 'string' && look !== '' && !reason.includes(look) ? ` ("${clean(look)}")` : '';
  const saved = savedIn(closed['rescue']);
  return `${VERDICTS[verdict] ?? verdict}: ${reason}${seen}${saved === null ? '' : `; ${saved}`}`;
}

function hearing(lines: readonly WrittenLine[]): string {
  const stopped = lines.find((line) => line.kind === 'dance.closed' && line['stopped'] === true);
  if (stopped !== undefined) return sentence(stopped);
  const asked = lines.filter(({ kind }) => kind === 'question.typed').length;
  const questions = asked === 0 ? '' : `; ${times(asked, 'question')}`;
  const id = text(lines.find(({ dance }) => dance !== undefined)?.['dance']);
  return `${accusation(lines)}${questions}; ${outcome(lines)}${id === '' ? '' : ` [${id}]`}`;
}

/** From a death, or a first start, to the next life. */
function life(lines: readonly WrittenLine[]): string {
  const last = lines.at(-1);
  const died = lines.find(isDeath);
  const why = text(died?.['note']).replace(/; (starts again|tried again)$/, '');
  if (last?.kind === 'session.ended') return sentence(last);
  if (last?.kind !== 'session.running') return last === undefined ? '' : sentence(last);
  if (died === undefined) {
    const command = find(lines, 'start.ordered')?.['command'];
    return `it was started${Array.isArray(command) ? ` with \`${clean(command.join(' '))}\`` : ''}`;
  }
  const lostMs = Date.parse(last.at) - Date.parse(died.at);
  return `it ${why === '' ? 'ended' : why}; started again after ${span(lostMs)}`;
}

function alert(lines: readonly WrittenLine[]): string {
  const told = find(lines, 'alert');
  const over = find(lines, 'alert.ended');
  if (told === undefined) return over === undefined ? '' : sentence(over);
  return `${sentence(told)}${over === undefined ? '' : ` Over: ${text(over['text'])}`}`;
}

function textOf({ lines }: Chapter): string {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return '';
  if (lines.some(({ kind }) => kind.startsWith('dance.') || kind === 'warrant.filed')) return hearing(lines);
  if (LIFE.test(first.kind)) return life(lines);
  if (typeof first['episode'] === 'string') return alert(lines);
  if (first.kind === 'nudge.ordered' && last !== first) return `${sentence(first)}; ${sentence(last)}`;
  return sentence(last);
}

/** A first start is no restart. */
const foldOf = ({ fold, lines }: Chapter): string | null => (fold === 'life' && !lines.some(isDeath) ? null : fold);

/** The story, oldest first, however long. */
export function taleOf(lines: readonly WrittenLine[]): readonly Told[] {
  const told: (Told & { readonly fold: string | null; readonly count: number; readonly since: string })[] = [];
  for (const chapter of chaptersOf(lines)) {
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
      text: count === 1 ? line : `${line} (${count} times in ${span(Date.parse(at) - Date.parse(since))})`,
    }))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}
