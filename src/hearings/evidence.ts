/**
 * Signs of life (D-4), strongest first:
 * 1. a heartbeat or an evidence record of this life that goes on;
 * 2. words of its own: a row that came after our Enter, and stands there still at the next look, or grew;
 * 3. tokens or bytes of an answer that grow; 4. a tool that goes on below it while its busy screen moves;
 * 5. CPU clearly above the tree's own rate, of a program that draws nothing that could cost it.
 * What moves without them (its own clock, its spinner, the CPU of an animation) is inconclusive, which is no ground for a
 * pardon and none for an execution. Our own text and its echo, a composer, a redraw in place are nothing.
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { Instant, WallMs } from '../../machines/protocol.ts';
import { matches } from '../screen/matching.ts';
import type { Pack } from '../screen/pack.ts';
import type { Screen } from '../screen/screen.ts';
import { normalise, plain } from '../screen/text.ts';
import { rateBetween, type CpuSample } from './cpu.ts';
import type { Anchor } from './anchor.ts';
import type { Line, Capture } from './capture.ts';

/** What one look measured. */
export interface Signs {
  readonly at: Instant;
  readonly capture: Capture;
  readonly screen: Screen;
  readonly pack: Pick<Pack, 'complete' | 'noise'>;
  /** Indices of the capture's lines that are our own. */
  readonly own: ReadonlySet<number>;
  /** The last line of the last of our texts that is shown whole; null = none is. */
  readonly shown: number | null;
  /** Which lines came after our question. */
  readonly isAfter: (index: number) => boolean;
  /** What stood there before our first key; null = not known any more. */
  readonly anchor: Anchor | null;
  /** null = not measured. */
  readonly cpu: CpuSample | null;
  /** What runs below it in groups of their own, names by pid. */
  readonly tools: ReadonlyMap<number, string>;
  readonly heartbeat: WallMs | null;
}

/** What the next look is compared with. */
export interface Baseline {
  readonly width: number;
  readonly alternate: boolean;
  /** Its new words, row by row. */
  readonly words: readonly string[];
  /** What it wrote above our question. */
  readonly written: readonly string[];
  /** Rows that it redraws in place. */
  readonly animated: string;
  readonly timer: number | null;
  /** Tokens or bytes of an answer. */
  readonly grown: number | null;
  readonly cpu: readonly CpuSample[];
  /** When each was first seen, by pid. */
  readonly tools: ReadonlyMap<number, Instant>;
  readonly heartbeat: WallMs | null;
}

export type EvidenceNumbers = Pick<HandsPolicy, 'evidenceAfterMs' | 'cpuFactor' | 'cpuAbove'>;

/** evidence: it works · inconclusive: it did something, and nothing proves that it works. */
export interface Activity {
  readonly kind: 'evidence' | 'inconclusive';
  readonly what: string;
}

/**
 * The strongest sign, or null; and the baseline for the next look. `before`: null at the first look. `keysOld`: our own keys
 * can no longer be the cause of what moves. `cpuRate`: before the question. Pure.
 */
export function evidenceOf(
  before: Baseline | null,
  signs: Signs,
  { cpuRate, keysOld, numbers }: { cpuRate: number | null; keysOld: boolean; numbers: EvidenceNumbers },
): { readonly life: Activity | null; readonly base: Baseline } {
  const steady = before === null || isMoved(before, signs) ? null : before;
  const words = wordsOf(signs);
  const written = writtenOf(signs);
  const appended = steady === null ? [] : appendedTo(steady.written, written);
  const base = baselineOf(before, signs, { words: [...words, ...appended], written }, numbers);
  const life =
    beat(before, signs) ??
    spoken(steady, [...words, ...written]) ??
    (steady === null || !keysOld ? null : growth(steady, base, signs)) ??
    tool(steady, base, signs, numbers) ??
    (before === null || !keysOld ? null : cpu(before, signs, cpuRate, numbers)) ??
    (steady === null || !keysOld ? null : motion(steady, base, signs)) ??
    doubt(signs, words);
  return { life, base };
}

const evidence = (what: string): Activity => ({ kind: 'evidence', what });
const inconclusive = (what: string): Activity => ({ kind: 'inconclusive', what });

/** Another width or screen: programs redraw all of it, and nothing can be compared. */
const isMoved = (before: Baseline, { capture }: Signs): boolean =>
  before.width !== capture.width || before.alternate !== capture.alternate;

function baselineOf(
  before: Baseline | null,
  signs: Signs,
  rows: Pick<Baseline, 'words' | 'written'>,
  numbers: EvidenceNumbers,
): Baseline {
  const samples = [...(before?.cpu ?? []), ...(signs.cpu === null ? [] : [signs.cpu])];
  // The oldest samples are kept up to one that is old enough to compare with.
  const enough = samples.findLastIndex(({ at }) => signs.at - at >= numbers.evidenceAfterMs);
  const animated = signs.screen.animated.map((row) => plain(signs.capture.screen[row] ?? ''));
  return {
    ...rows,
    width: signs.capture.width,
    alternate: signs.capture.alternate,
    animated: animated.join('\n'),
    timer: signs.screen.timer,
    grown: receivedIn(animated),
    cpu: samples.slice(Math.max(0, enough)),
    tools: new Map([...signs.tools.keys()].map((pid) => [pid, before?.tools.get(pid) ?? signs.at])),
    heartbeat: before === null ? signs.heartbeat : before.heartbeat,
  };
}

function beat(before: Baseline | null, { heartbeat }: Signs): Activity | null {
  const isNewer = before !== null && heartbeat !== null && (before.heartbeat === null || heartbeat > before.heartbeat);
  return isNewer ? evidence('its heartbeat went on') : null;
}

/** Rows with words that came after our question and are the agent's, as they stand there. */
function wordsOf(signs: Signs): string[] {
  const { capture, screen, pack } = signs;
  if (pack.complete && screen.state === 'unknown') return []; // what covers its screen may be anybody's
  const counts = new Map<string, number>();
  return capture.lines.flatMap((line, index) => {
    const text = normalise(line.text);
    if (!/[\p{L}\p{N}#]/u.test(text) || !isItsOwn(signs, line, index)) return [];
    const isUnder = signs.isAfter(index);
    const count = (counts.get(`${isUnder} ${text}`) ?? 0) + 1;
    counts.set(`${isUnder} ${text}`, count);
    return isUnder && count > (signs.anchor?.under.get(text) ?? 0) ? [plain(line.text).trim()] : [];
  });
}

/**
 * A program that is at work may hold our question back below all that it writes meanwhile. The unchanged rows above
 * such words distinguish them from a redraw.
 */
function writtenOf(signs: Signs): string[] {
  const { capture, screen, pack, isAfter } = signs;
  if (!pack.complete || screen.state === 'unknown') return [];
  return capture.lines.flatMap((line, index) => {
    const text = plain(line.text).trim();
    return !isAfter(index) && /[\p{L}\p{N}]/u.test(text) && isItsOwn(signs, line, index) ? [text] : [];
  });
}

/** Rows that stand unchanged above those that came. */
const STANDING = 3;

/** What follows the rows that were the last ones, where they stand together still; the last of them may have grown. */
function appendedTo(before: readonly string[], now: readonly string[]): readonly string[] {
  const above = before.slice(-STANDING, -1);
  const end = before.at(-1) ?? '';
  const at = now.findLastIndex(
    (row, index) =>
      (row === end || isLonger(row, end)) && above.every((one, i) => now[index - above.length + i] === one),
  );
  if (before.length < STANDING || at < 0) return [];
  return now.slice(now[at] === end ? at + 1 : at);
}

/** Bullets and prompts, which stand before nothing too. */
const MARKS = /[\s>❯›$#%●⏺•◦⎿◆✦✻*+_.…-]/gu;

/**
 * A row below our whole text that repeats a piece of it, or holds only signs: an echo ends with its text, so the agent
 * may have answered in our words.
 */
function possibleAnswer(signs: Signs): Activity | null {
  const { capture, shown, own, isAfter } = signs;
  if (shown === null) return null;
  const line = capture.lines.find(
    (one, index) =>
      index > shown &&
      isAfter(index) &&
      normalise(one.text).replace(MARKS, '') !== '' &&
      (own.has(index) || !/[\p{L}\p{N}]/u.test(one.text)) &&
      isItsOwn({ ...signs, own: new Set() }, one, index),
  );
  return line === undefined ? null : inconclusive(`it may be an answer: ${plain(line.text).trim()}`);
}

/** Not our own, not the composer or what is below it, not redrawn in place, not the line where it types. */
function isItsOwn({ capture, screen, pack, own }: Signs, line: Line, index: number): boolean {
  const first = line.row - capture.historySize;
  const last = (capture.lines[index + 1]?.row ?? Infinity) - capture.historySize - 1;
  const holds = (row: number): boolean => row >= first && row <= last;
  if (own.has(index) || screen.animated.some(holds)) return false;
  if (screen.composer === null ? holds(capture.cursorRow) : last >= screen.composer.from) return false;
  return !matches(pack.noise, plain(line.text));
}

/** A row that stands still, or one that grew: no animation. */
function spoken(before: Baseline | null, words: readonly string[]): Activity | null {
  if (before === null) return null;
  const said = words.find((row) => before.words.some((one) => row === one || isLonger(row, one)));
  return said === undefined ? null : evidence(`a new line: ${said}`);
}

/** More than the dots of an animation. */
const MIN_GROWTH = 2;
const lettersOf = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
const isLonger = (row: string, before: string): boolean =>
  row.startsWith(before) && lettersOf(row.slice(before.length)) >= MIN_GROWTH;

function growth(before: Baseline, { grown }: Baseline, { screen }: Signs): Activity | null {
  const isMore = grown !== null && before.grown !== null && grown > before.grown;
  return isMore ? evidence(`its answer grows: ${screen.what}`) : null;
}

const UNITS: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6 };
/** What was sent to the model says nothing of its answer. */
const RECEIVED = /(?<!↑\s?[\d.,]{0,12})(?<!\d)(\d{1,12}(?:[.,]\d{1,12})?) ?([kKM]?)i?(?:B\b| ?tokens?\b)/gu;

/** The largest number of tokens or bytes that these rows count; null = they count none. */
function receivedIn(rows: readonly string[]): number | null {
  const counts = rows.flatMap((row) =>
    [...row.matchAll(RECEIVED)].map(
      ([, count = '0', unit = '']) => Number(count.replace(',', '')) * (UNITS[unit] ?? 1),
    ),
  );
  return counts.length === 0 ? null : Math.max(...counts);
}

/**
 * One that goes on: programs start short ones for themselves, to show a branch or to keep a copy of the files. A
 * program that moves nothing on a busy screen hangs, even if an old child still runs.
 */
function tool(
  before: Baseline | null,
  base: Baseline,
  signs: Signs,
  { evidenceAfterMs }: EvidenceNumbers,
): Activity | null {
  const running = [...signs.tools].filter(([pid]) => signs.at - (base.tools.get(pid) ?? signs.at) >= evidenceAfterMs);
  if (before === null || running.length === 0 || motion(before, base, signs) === null) return null;
  return evidence(`a tool of it runs: ${[...new Set(running.map(([, name]) => name))].join(', ')}`);
}

/** What is no sign of life, and no silence either. */
const doubt = (signs: Signs, [word]: readonly string[]): Activity | null =>
  word === undefined
    ? (below(signs) ?? possibleAnswer(signs))
    : inconclusive(`a line that is not there for long: ${word}`);

/** It is unknown whether a frozen program waits for its tools. */
function below({ screen, tools }: Signs): Activity | null {
  const [name] = tools.values();
  return screen.busy && name !== undefined
    ? inconclusive(`nothing moves on its screen, and ${name} runs below it`)
    : null;
}

/** Its own clock, its spinner: the program lives, and what it waits for may not. */
function motion(before: Baseline, { animated, timer }: Baseline, { screen }: Signs): Activity | null {
  if (!screen.busy) return null;
  const isGoing = timer !== null && before.timer !== null && timer > before.timer;
  if (isGoing) return inconclusive(`it is busy and its clock goes on: ${screen.what}`);
  return animated !== before.animated && before.animated !== '' ? inconclusive(`it is busy: ${screen.what}`) : null;
}

function cpu(before: Baseline, signs: Signs, cpuRate: number | null, numbers: EvidenceNumbers): Activity | null {
  const { cpu: now, pack } = signs;
  if (now === null || cpuRate === null) return null;
  const old = before.cpu.findLast(({ at }) => now.at - at >= numbers.evidenceAfterMs);
  if (old === undefined) return null;
  const rate = rateBetween(old, now);
  const isAbove = rate >= cpuRate * numbers.cpuFactor && rate >= cpuRate + numbers.cpuAbove;
  if (!isAbove) return null;
  const what = `its CPU rose from ${Math.round(cpuRate)} to ${Math.round(rate)} ms per s`;
  return pack.complete ? inconclusive(what) : evidence(what);
}
