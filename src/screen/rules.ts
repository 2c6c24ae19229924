/** Whether a page fits the rules of a pack: the rows that each rule looks at, and what makes a hit void. Pure. */
import type { WallMs } from '../../machines/protocol.ts';
import { matches } from './matching.ts';
import type { Pack, Rule } from './pack.ts';
import { fromBottom, unwrap, type Row } from './region.ts';
import { isReset } from './reset.ts';
import type { Composer, ScreenState } from './screen.ts';
import { isBlank } from './text.ts';

/** A picture as the rules see it. */
export interface Page {
  readonly rows: readonly string[];
  readonly composer: Composer | null;
  readonly title: string;
  readonly at: WallMs | null;
  /** So many rows it takes for what stands in one of a wide terminal. */
  readonly breaks: number;
}

/** A rule that fits, and the row that shows it; -1 = the title. */
export interface Hit {
  readonly rule: Rule;
  readonly row: Row;
}

/** The first rule of the pack with one of these states that the page fits. */
export function firstHit(
  pack: Pack,
  page: Page,
  states: readonly ScreenState[],
  counts = ({ weak }: Rule): boolean => !weak,
): Hit | null {
  const isTyped = page.composer !== null && page.composer.draft !== '';
  for (const one of pack.rule) {
    if (!states.includes(one.state) || !counts(one) || (one.typed && !isTyped)) continue;
    const row = hitOf(one, pack, page);
    if (row !== null) return { rule: one, row };
  }
  return null;
}

/** The row that shows it; null = the rule does not fit. */
export function hitOf(rule: Rule, pack: Pack, page: Page): Row | null {
  const region = regionOf(rule, page);
  const all =
    page.breaks > 1 && rule.state !== 'gone' && rule.state !== 'error' ? [...region, ...unwrap(region)] : region;
  const row = all.find(
    ({ text, at }) => matches(rule.match, text) && !(rule.in === 'above' && isOutput(pack, page, at)),
  );
  if (row === undefined || region.some(({ text }) => matches(rule.not, text))) return null;
  if (!rule.also.every((one) => all.some(({ text }) => one.test(text)))) return null;
  if (rule.state === 'limited' && isOver(page, rule)) return null;
  return rule.block.length === 0 || matches(rule.block, topDown(region)) ? row : null;
}

/** Whether a tool printed this row. */
function isOutput({ output }: Pack, { rows }: Page, at: number): boolean {
  if (output.length === 0) return false;
  const above = rows.slice(Math.max(0, at - MAX_OUTPUT_ROWS), at + 1).map((row) => row.trimEnd());
  return matches(output, above.join('\n'));
}

const topDown = (region: readonly Row[]): string =>
  region
    .map(({ text }) => text.trimEnd())
    .reverse()
    .join('\n');

/** The rows that a rule looks at, the last first. */
export function regionOf({ in: where, rows: most, skip, until }: Rule, { rows, composer, title, breaks }: Page): Row[] {
  const counted = (some: readonly Row[], count = most): Row[] => {
    const end = until.length === 0 ? -1 : some.findIndex(({ text }) => matches(until, text));
    return (end < 0 ? some : some.slice(0, end)).filter(({ text }) => !matches(skip, text)).slice(0, count);
  };
  if (where === 'title') return [{ at: -1, text: title }];
  const all = fromBottom(rows);
  const below = composer === null ? [] : all.filter(({ at }) => at > composer.to);
  if (where === 'below') return composer === null ? counted(all).slice(0, MAX_FOOTER_ROWS) : counted(below);
  if (where === 'within')
    return composer === null ? [] : all.filter(({ at }) => at >= composer.from && at <= composer.to);
  const above = composer === null ? all : all.filter(({ at }) => at < composer.from);
  if (where === 'above') return counted(above);
  // Where no composer takes keys, what a dialog says of them may be broken over many rows.
  if (where === 'live') return composer === null ? counted(all, most * breaks) : [];
  return [...below, ...counted(above)];
}

/** Programs fold an output that is longer. */
const MAX_OUTPUT_ROWS = 60;

/** Without a composer a footer is the last rows. */
const MAX_FOOTER_ROWS = 3;

/** A limit beside a composer whose end is over says nothing of now. */
function isOver(page: Page, rule: Rule): boolean {
  const resets = page.composer === null || page.at === null ? null : resetsIn(page, rule);
  return resets !== null && page.at !== null && isReset(resets, page.at);
}

/** When a limit ends, in the program's words; null = they do not say. */
export function resetsIn(page: Page, rule: Rule): string | null {
  const text = regionOf(rule, page)
    .reverse()
    .map((row) => wordsOf(row.text))
    .filter((row) => !isBlank(row))
    .join(' ');
  for (const one of rule.resets) {
    const when = one.exec(text)?.[1];
    if (when !== undefined) return when.trim();
  }
  return null;
}

const FRAME = /[│┃║╭╮╰╯█▌▐]/gu;
/** A row without frames and with single blanks. */
export const wordsOf = (text: string): string => text.replace(FRAME, ' ').replace(/\s+/g, ' ').trim();
