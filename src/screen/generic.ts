/**
 * Any program: only marks that many share, only at the bottom, anchored. It knows no composer, so it knows no draft, and
 * most of its screens are unknown; that is no reason not to ask.
 */
import type { Pack, Screen } from './screen.ts';
import { fromBottom, menuAt, secondsIn } from './region.ts';
import type { Row } from './region.ts';
import { plain } from './text.ts';

/** A question to a person, as the last words on the screen. */
const QUESTIONS: readonly RegExp[] = [
  /[([](?:y(?:es)?\/n(?:o)?|n(?:o)?\/y(?:es)?)(?:\/\S*)?[)\]]\s*[:?]?\s*$/i,
  /\(Y\)es\/\(N\)o.*$/,
  /^(?:.*\s)?(?:\S+'s )?(?:password|passphrase|PIN)(?: for [^:]+)?:\s*$/i,
  /^[\s│┃]*press (?:enter|return|any key)\b.*$/i,
  /^\? .*\(Use arrow keys\)\s*$/,
  /^(?:Allow execution of|Apply this change|Run this command|Write to this file|Would you like to|Do you want to)\b.*\?\s*$/,
  /^[\s│┃]*△ Permission required/,
];
const PAGERS = /^(?:--More--.*|\(END\)|lines \d+-\d+.*|.*\(press h for help or q to quit\))\s*$/;
const BUSY = /(?:esc|ctrl\+c)(?: to)? (?:interrupt|stop)\b|\(esc to cancel, \d+m? ?\d*s?\)/i;
const PROMPT = /^(?:\S.*[\s\])~\w])?[$#%❯›>]+\s*$/;
const BUSY_ROWS = 8;

export const generic: Pack = {
  name: 'generic',
  multiline: false,
  complete: false,
  read,
  fits: () => true,
};

function read(captured: readonly string[]): Screen {
  const rows = captured.map(plain);
  const up = fromBottom(rows);
  const last = up[0];
  if (last === undefined) return screen('unknown', null);
  const menu = menuAt(rows);
  if (menu !== null) return screen('blocked', menu);
  if (QUESTIONS.some((mark) => mark.test(last.text)) || PAGERS.test(last.text)) return screen('blocked', last);
  const busy = up.slice(0, BUSY_ROWS).find(({ text }) => BUSY.test(text));
  if (busy !== undefined) return screen('busy', busy);
  return PROMPT.test(last.text) ? screen('idle', last) : screen('unknown', null);
}

const screen = (state: Screen['state'], row: Row | null): Screen => ({
  state,
  what: row?.text.trim() ?? state,
  row: row?.at ?? null,
  timer: state === 'busy' && row !== null ? secondsIn(row.text) : null,
  composer: null,
});
