/**
 * Signs of life (D-4), told against a baseline that is taken when our own keys can no longer be their cause: new lines outside
 * the composer, CPU clearly above the tree's own rate, a busy clock that goes on, a newer heartbeat. Redraws of an input line,
 * spinners, clocks, our own text and its echo are none.
 */
import type { HandsPolicy } from '../../machines/policy.ts';
import type { Instant, WallMs } from '../../machines/protocol.ts';
import type { Screen } from '../screen/screen.ts';
import { normalised } from '../screen/text.ts';
import { rateBetween } from './cpu.ts';
import type { CpuSample } from './cpu.ts';
import { countOf } from './place.ts';
import type { Shot } from './shot.ts';

/** What one look measured. */
export interface Signs {
  readonly at: Instant;
  readonly shot: Shot;
  readonly screen: Screen;
  /** Indices of the shot's lines that are our own. */
  readonly own: ReadonlySet<number>;
  /** null = not measured. */
  readonly cpu: CpuSample | null;
  readonly heartbeat: WallMs | null;
}

export interface Baseline {
  /** Absolute number of the first row that counts. */
  readonly top: number;
  readonly width: number;
  readonly alternate: boolean;
  readonly lines: ReadonlyMap<string, number>;
  readonly cpu: readonly CpuSample[];
  readonly timer: number | null;
  readonly heartbeat: WallMs | null;
}

export type EvidenceNumbers = Pick<HandsPolicy, 'evidenceAfterMs' | 'cpuFactor' | 'cpuAbove'>;

export const baselineOf = (signs: Signs): Baseline => ({
  top: signs.shot.historySize,
  width: signs.shot.width,
  alternate: signs.shot.alternate,
  lines: countOf(textsFrom(signs.shot, signs.shot.historySize)),
  cpu: signs.cpu === null ? [] : [signs.cpu],
  timer: signs.screen.timer,
  heartbeat: signs.heartbeat,
});

/** The sign, in words, or null; and the baseline for the next look. `cpuRate`: before the question. Pure. */
export function evidenceOf(
  base: Baseline,
  signs: Signs,
  cpuRate: number | null,
  numbers: EvidenceNumbers,
): { readonly what: string | null; readonly base: Baseline } {
  // Another width or screen: programs redraw all of it, and nothing can be compared.
  const isMoved =
    base.width !== signs.shot.width || base.alternate !== signs.shot.alternate || signs.shot.historySize < base.top;
  const what =
    beat(base, signs) ??
    (isMoved ? null : (newLine(base, signs) ?? clock(base, signs))) ??
    cpu(base, signs, cpuRate, numbers);
  const kept = isMoved ? baselineOf(signs) : { ...base, timer: signs.screen.timer };
  const samples = signs.cpu === null ? base.cpu : [...base.cpu, signs.cpu];
  // The oldest samples are kept up to one that is old enough to compare with.
  const enough = samples.findLastIndex(({ at }) => signs.at - at >= numbers.evidenceAfterMs);
  return { what, base: { ...kept, heartbeat: base.heartbeat, cpu: samples.slice(Math.max(0, enough)) } };
}

function beat(base: Baseline, { heartbeat }: Signs): string | null {
  const isNewer = heartbeat !== null && (base.heartbeat === null || heartbeat > base.heartbeat);
  return isNewer ? 'its heartbeat went on' : null;
}

function newLine({ top, lines }: Baseline, signs: Signs): string | null {
  const idle = idleRows(signs);
  const seen = new Map<string, number>();
  for (const [index, line] of signs.shot.lines.entries()) {
    const text = normalised(line.text);
    if (line.row < top || text === '') continue;
    const next = signs.shot.lines[index + 1]?.row ?? Infinity;
    if (signs.own.has(index) || idle.some((row) => row >= line.row && row < next)) continue;
    seen.set(text, (seen.get(text) ?? 0) + 1);
    if ((seen.get(text) ?? 0) > (lines.get(text) ?? 0)) return `a new line: ${line.text.trim()}`;
  }
  return null;
}

/** Rows whose redraws say nothing: the line being typed, the composer and what is below it, the spinner. */
function idleRows({ shot, screen }: Signs): number[] {
  const { composer, state, row } = screen;
  const typed =
    composer === null ? [] : shot.screen.map((_, at) => at).filter((at) => at >= composer.from && at <= composer.to);
  const spinner = state === 'busy' && row !== null ? [row] : [];
  return [shot.cursorRow, ...typed, ...spinner].map((at) => at + shot.historySize);
}

function clock({ timer }: Baseline, { screen }: Signs): string | null {
  if (screen.state !== 'busy' || screen.composer === null || timer === null || screen.timer === null) return null;
  return screen.timer > timer ? `it is busy and its clock went on: ${screen.what}` : null;
}

function cpu(base: Baseline, { cpu: now }: Signs, cpuRate: number | null, numbers: EvidenceNumbers): string | null {
  if (now === null || cpuRate === null) return null;
  const before = base.cpu.findLast(({ at }) => now.at - at >= numbers.evidenceAfterMs);
  if (before === undefined) return null;
  const rate = rateBetween(before, now);
  const isAbove = rate >= cpuRate * numbers.cpuFactor && rate >= cpuRate + numbers.cpuAbove;
  return isAbove ? `its CPU rose from ${Math.round(cpuRate)} to ${Math.round(rate)} ms per s` : null;
}

const textsFrom = ({ lines }: Shot, top: number): string[] =>
  lines.filter(({ row }) => row >= top).map(({ text }) => normalised(text));
