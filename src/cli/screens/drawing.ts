/** A screen drawn with signs beside its rows that show what the packs saw in them. Nothing of it steers a terminal. */
import { cutAt } from '../../terminal/columns.ts';
import { isBlank } from '../../screen/text.ts';
import { inStyle, terminal } from '../../terminal/streams.ts';
import { clean } from '../../terminal/print.ts';
import type { Reading } from './reading.ts';

const MIN_COLUMNS = 40;

/** The text beside a row. */
const SIGNS = { told: '>', composer: '|', restless: '~', other: ' ' } as const;
const MEANING = {
  told: '> tells the state',
  composer: '| composer',
  restless: '~ redrawn in place, no sign of life',
  cut: '¦ right of it is no part of the talk',
} as const;

export interface Drawn {
  readonly rows: readonly string[];
  /** The row with the cursor, from 0; null = not known. */
  readonly cursorRow: number | null;
}

/** Every row down to the last one with words, and a line that explains the signs that are there. `rows` may hold escapes. */
export function drawing({ rows, cursorRow }: Drawn, reading: Reading): string {
  // A pipe gets whole rows.
  const columns = Math.max(MIN_COLUMNS, terminal()?.columns ?? Infinity);
  const words = rows.map((row) => clean(row).trimEnd());
  const last = Math.max(
    words.findLastIndex((row) => !isBlank(row)),
    reading.composer?.to ?? 0,
    reading.row ?? 0,
    cursorRow ?? 0,
  );
  const digits = String(last + 1).length;
  const isEmpty = (at: number): boolean =>
    at >= 0 && at <= last && isBlank(words[at] ?? '') && at !== cursorRow && signOf(at, reading) === 'other';
  const isIdle = (at: number): boolean => isEmpty(at - 1) && isEmpty(at) && isEmpty(at + 1);
  const lines = words.slice(0, last + 1).flatMap((row, at) => {
    if (isIdle(at)) return isIdle(at - 1) ? [] : [`  ${'⋮'.padStart(digits)}`];
    const sign = signOf(at, reading);
    const gutter = `${SIGNS[sign]} ${String(at + 1).padStart(digits)} ${at === cursorRow ? '_' : ' '} `;
    const drawn = `${gutter}${fit(seamed(row, reading.columns), columns - gutter.length)}`.trimEnd();
    return sign === 'told' ? inStyle('bold', drawn) : drawn;
  });
  return [...lines, '', legend(words.slice(0, last + 1), reading, cursorRow)].join('\n');
}

function signOf(at: number, { row, composer, restless }: Reading): keyof typeof SIGNS {
  if (at === row) return 'told';
  if (composer !== null && at >= composer.from && at <= composer.to) return 'composer';
  return restless.includes(at) ? 'restless' : 'other';
}

function legend(rows: readonly string[], reading: Reading, cursorRow: number | null): string {
  const signs = new Set<string>(rows.map((_, at) => signOf(at, reading)));
  const meant = Object.entries(MEANING).filter(([sign]) =>
    sign === 'cut' ? reading.columns !== null : signs.has(sign),
  );
  return [...meant.map(([, text]) => text), ...(cursorRow === null ? [] : ['_ cursor'])].join('   ');
}

/** What a sidebar or a scroll bar shows stands behind a seam. */
function seamed(row: string, columns: number | null): string {
  if (columns === null) return row;
  const [talk, beside] = cutAt(row, columns);
  return isBlank(beside) ? row : `${talk}¦${beside}`;
}

function fit(row: string, columns: number): string {
  if (cutAt(row, columns)[1] === '') return row;
  return `${cutAt(row, columns - 1)[0]}…`;
}
