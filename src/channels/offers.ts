/**
 * What a channel shows of a question, and which answers it may take. A person gives nothing from afar that the message does not show
 * whole: where anything of it is cut, only a no or "seen" is offered and taken, and the rest is answered at the desk. Pure.
 */
import { homedir } from 'node:os';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { isAlways, type AskOption } from '../../machines/channels/answers.ts';
import { redact } from '../screen/redact.ts';
import { clean } from '../terminal/print.ts';

/** Give nothing. */
const HARMLESS = ['no', 'seen', 'pardon'];
const CUT = '… not shown whole: see and answer it at your terminal';

/** Frames say nothing that their first signs do not, and take the room of words. */
const DRAWN = /([─━═╌╍┄┅▄▀])\1{3,}/gu;
const MARGIN = /\s+[│┃]?$/u;
/** A telephone breaks a long row: what stands behind a thousand blanks is out of its sight. */
const GAP = /[^\S\n]{20,}/gu;

/** Rows without names, escapes, wide gaps and wide frames. */
function rowsOf(rows: readonly string[]): string[] {
  const short = rows.map((row) =>
    clean(row)
      .replace(DRAWN, '$1$1$1')
      .replace(MARGIN, '')
      .replace(GAP, (gap) => ` ␣×${gap.length} `),
  );
  return redact(short, { homes: [homedir()], users: [], hosts: [] });
}

export const bytesOf = (rows: readonly string[]): number => Buffer.byteLength(rows.join('\n'));

export interface Offering {
  /** All rows of what it is about; null = some of it is cut, hidden or out of sight. */
  readonly whole: readonly string[] | null;
  readonly shows: readonly string[];
  readonly offers: readonly (AskOption & { readonly does: string })[];
}

export function offerOf({ whole, shows, offers }: Offering): Pick<Offering, 'shows' | 'offers'> {
  const [more, others] = [offers.filter(isAlways), offers.filter((one) => !isAlways(one))];
  // What it gives beyond this question is a part of what has to be shown.
  const gives = more.map(({ word, does }) => `${word}: ${does}`);
  const all = whole === null ? null : rowsOf([...whole, ...gives]);
  if (all !== null && bytesOf(all) <= ANSWERS.maxShownBytes) return { shows: all, offers };
  if (more.length > 0) return offerOf({ whole, shows, offers: others });
  const part = rowsOf(whole ?? shows);
  while (part.length > 0 && bytesOf([...part, CUT]) > ANSWERS.maxShownBytes) part.pop();
  return { shows: [...part, CUT], offers: offers.filter(({ word }) => HARMLESS.includes(word)) };
}
