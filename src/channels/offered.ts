/**
 * What a channel shows of a question, and which answers it may take. A person gives nothing from afar that the message does not show
 * whole: where anything of it is cut, only a no is offered and taken, and the rest is answered at the desk. Pure.
 */
import { homedir } from 'node:os';
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { Dialog, Offered } from '../screen/dialog.ts';
import { redact } from '../screen/redact.ts';
import { clean } from '../terminal/print.ts';

/** Gives nothing. */
const NO = 'no';
const CUT = '… not shown whole: see and answer it in its pane';

/** Frames say nothing that their first signs do not, and take the room of words. */
const DRAWN = /([─━═╌╍┄┅▄▀])\1{3,}/gu;
const MARGIN = /\s+[│┃]?$/u;

/** Rows without names, escapes and wide frames. */
function rowsOf(rows: readonly string[]): string[] {
  const short = rows.map((row) => clean(row).replace(DRAWN, '$1$1$1').replace(MARGIN, ''));
  return redact(short, { homes: [homedir()], users: [], hosts: [] });
}

export const bytesOf = (rows: readonly string[]): number => Buffer.byteLength(rows.join('\n'));

export function offerOf({ whole, shows, offers }: Dialog): {
  readonly shows: readonly string[];
  readonly offers: readonly Offered[];
} {
  const all = whole === null ? null : rowsOf(whole);
  if (all !== null && bytesOf(all) <= ANSWERS.maxShownBytes) return { shows: all, offers };
  const part = rowsOf(whole ?? shows);
  while (part.length > 0 && bytesOf([...part, CUT]) > ANSWERS.maxShownBytes) part.pop();
  return { shows: [...part, CUT], offers: offers.filter(({ word }) => word === NO) };
}
