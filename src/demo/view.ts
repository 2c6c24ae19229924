/**
 * What a demo looks like while it runs. On a terminal a table that is drawn again in place, never wider or higher than the
 * terminal; into a pipe plain lines, each thing once. `frame` and `news` are pure.
 */
import { didText } from '../../machines/patrols/act-words.ts';
import { sentence, type Line } from '../journal/lines.ts';
import { clean } from '../terminal/print.ts';
import { own, inStyle, type Style } from '../terminal/streams.ts';
import type { Player } from './cast.ts';
import { isDeath } from './report.ts';
import type { Moment } from './watch.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Row {
  readonly text: string;
  readonly style: Style | null;
}

export interface Picture {
  readonly title: string;
  readonly cast: readonly Player[];
  readonly moment: Moment;
  /** Wall clock. */
  readonly now: number;
  /** What happened, oldest first. */
  readonly events: readonly string[];
}

const NAME = 10;
const ABOUT = 48;
/** Below this the column with what each program does is left out. */
const WIDE = 110;
const MAX_EVENTS = 8;
const SECOND = 1_000;

/** The rows of one picture, cut to the terminal and one row less than it has, so that nothing scrolls. */
export function frame({ title, cast, moment, now, events }: Picture, { columns, rows }: Size): Row[] {
  const isWide = columns >= WIDE;
  const head = ['SESSION'.padEnd(NAME), ...(isWide ? ['PROGRAM'.padEnd(ABOUT)] : []), 'NOW'].join(' ');
  const players = cast.map((player) => {
    const { text, style } = stateOf(player, moment, now);
    return { text: [player.name.padEnd(NAME), ...(isWide ? [player.about.padEnd(ABOUT)] : []), text].join(' '), style };
  });
  const top: Row[] = [
    { text: `${title} · ${townText(moment)}`, style: 'bold' },
    { text: head, style: 'dim' },
    ...players,
  ];
  const room = Math.max(0, Math.min(MAX_EVENTS, rows - 2 - top.length));
  const below = room === 0 ? [] : events.slice(-room).map((text): Row => ({ text, style: null }));
  const all = below.length === 0 ? top : [...top, { text: '', style: null }, ...below];
  return all.slice(0, Math.max(1, rows - 1)).map(({ text, style }) => ({ text: cut(text, columns - 1), style }));
}

function cut(text: string, columns: number): string {
  const letters = [...clean(text)];
  return letters.length <= columns ? letters.join('') : `${letters.slice(0, Math.max(0, columns - 1)).join('')}…`;
}

function townText({ town, guard }: Moment): string {
  if (town === null && guard === null) return 'no town yet';
  const watch = guard === null ? 'no guard' : `guard ${guard.pid}`;
  return town === null ? `town: gone, ${watch}` : `town ${town.pid}, ${watch}, epoch ${town.epoch}`;
}

function stateOf({ name }: Player, { open, warrants, sessions }: Moment, now: number): Row {
  const warrant = warrants.find(({ target }) => target === name);
  const record = sessions.get(name);
  if (warrant?.state === 'closed') {
    const verdict = warrant.verdict ?? 'closed';
    return { text: `${verdict}: ${warrant.reason}`, style: verdict === 'pardoned' ? 'green' : 'red' };
  }
  const dance = open.find(({ value }) => value.target.session === name);
  if (dance !== undefined) {
    const { stage, attempt, attempts, observedMs, undeliveredMs } = dance.value;
    const asked = attempts[attempt - 1];
    const leftMs = (asked?.windowMs ?? 0) - observedMs - Math.max(0, now - dance.stat.changedAt);
    const left = stage === 'interrogating.listening' ? `, ${seconds(Math.max(0, leftMs))} left` : '';
    const step = undeliveredMs > 0 ? 'cannot be asked' : (stage.split('.')[1] ?? stage);
    return { text: `question ${attempt}${left} (${step})`, style: 'yellow' };
  }
  if (warrant !== undefined) return { text: 'its warrant waits for a dog', style: 'yellow' };
  if (record === undefined) return { text: '-', style: 'dim' };
  if (record.state === 'backing_off') return { text: `dead: ${record.note}`, style: 'yellow' };
  const again = record.restarts > 0 ? `, restarted ${record.restarts} time` : '';
  return { text: `${record.state}${again}`, style: record.restarts > 0 ? 'green' : null };
}

const seconds = (ms: number): string => `${(ms / SECOND).toFixed(1)} s`;

/** Kinds of journal lines that a watcher wants to see. */
const TOLD = new Set<Line['kind']>([
  'dance.interrogating.asking',
  'question.not_typed',
  'look',
  'signal.ordered',
  'dance.closed',
  'session.running',
  'alert',
  'order.failed',
  'patrol.did',
  'patrol.did_not',
]);

/** What a watcher sees happen, where the journal speaks of it as past. */
function wordsOf(line: Line): string {
  if (isDeath(line)) return line.note ?? '';
  switch (line.kind) {
    case 'session.running':
      return line.restarts === 0 ? 'runs' : 'runs again';
    case 'dance.interrogating.asking':
      return `is asked whether it lives, question ${line.attempt}`;
    case 'patrol.did':
      return `its patrol ${didText(line.act, line.about)}: ${line.text}`;
    case 'signal.ordered':
      return `gets ${line.signal}, pid ${line.pids.join(', ')}`;
    default:
      return sentence(line.written);
  }
}

/** Journal lines that were not told before, as sentences. A town that comes back tells some things again; once is enough. */
export function news(lines: readonly Line[], told: Set<string>): string[] {
  return lines.flatMap((line) => {
    const who = 'patrol' in line ? line.patrol : line.session;
    if (!(TOLD.has(line.kind) || isDeath(line)) || !who) return [];
    const text = `${who}: ${clean(wordsOf(line))}`;
    const key = `${text} ${('uuid' in line && line.uuid) || ''}`;
    if (told.has(key)) return [];
    told.add(key);
    return [text];
  });
}

const HIDE = own('\u001b[?25l');
const SHOW = own('\u001b[?25h');
const TO_LINE_BEGIN = own('\u001b[G');
const TO_LINE_END = own('\u001b[K');
const TO_SCREEN_END = own('\u001b[J');
const HOME_AND_CLEAR = own('\u001b[H\u001b[2J');
const upBy = (rows: number): string => own(`\u001b[${rows}F`);

/** Draws rows over the ones drawn before. Owns the cursor: hidden until `end`. */
export class Canvas {
  readonly #print: (text: string) => void;
  #size: Size | null = null;
  #height = 0;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  draw(rows: readonly Row[], size: Size): void {
    const isResized = this.#size !== null && (this.#size.columns !== size.columns || this.#size.rows !== size.rows);
    const start = isResized ? HOME_AND_CLEAR : this.#height > 1 ? upBy(this.#height - 1) : TO_LINE_BEGIN;
    const body = rows.map(({ text, style }) => (style === null ? text : inStyle(style, text)));
    this.#print(`${HIDE}${start}${body.join(`${TO_LINE_END}\n`)}${TO_LINE_END}${TO_SCREEN_END}`);
    this.#size = size;
    this.#height = rows.length;
  }

  /** Gives the cursor back, below the last picture. Harmless when nothing was drawn, or twice. */
  end(): void {
    if (this.#size === null) return;
    this.#size = null;
    this.#print(`\n${SHOW}`);
  }
}
