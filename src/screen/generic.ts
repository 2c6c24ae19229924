/**
 * A program that no complete pack knows: marks that many share, at the bottom only, and the pack's own rules besides. It has
 * no composer, so text goes only where nothing speaks against it: no choice and no draft, and outside of line mode no box and
 * no alternate screen either. Pure.
 */
import { looksLikeChoice, menuAt } from './menu.ts';
import { matches } from './matching.ts';
import type { Pack, Rule } from './pack.ts';
import { fromBottom, secondsIn, type Row } from './region.ts';
import type { Picture, Screen, ScreenState } from './screen.ts';
import { isBlank } from './text.ts';

/** How far up a box, a menu or a question may stand and still be what takes the keys. */
const LIVE_ROWS = 15;
const BUSY_ROWS = 8;
const BOX = /^\s*(?:[╭╰┌└╔╚╹╻┃│║]|[─━═▀▄]{8,}\s*$)/u;
/** Words right above an empty row that wait for a key or a word. */
const ASKS = /\?(?:\s|$)|[[(][yY]\/[nN]/u;
const PROMPT = /^(?:\S.*[\s\])~\p{L}_-])?(?:[$#❯›>]+|(?<!\d)%)\s*$/u;
/** What may stand before the cursor where nothing is typed: a prompt without a word behind it. */
const EMPTY_PROMPT = /^(?!.*[$#%❯›>»λ]\s+\S)(?:.*[❯›>»λ✗]|\(\w+\)|In \[\d+\]:)\s*$/u;
/** A shell's, of here or of another machine: what is typed there is run (D-8). */
const SHELL_PROMPT = /^.*(?:[$#]|(?<!\d)%)\s*$/u;

/** `rows` without colours. */
export function readGeneric(pack: Pack, picture: Picture): Screen {
  const { rows, cursor, alternate, lineMode } = picture;
  const up = fromBottom(rows);
  const last = up[0];
  const say = (state: ScreenState, row: Row | null, rule: string, more: Partial<Screen> = {}): Screen => ({
    ...{ state, rule: `${pack.name}/${rule}`, what: row?.text.trim() ?? state, row: row?.at ?? null },
    ...{ busy: state === 'busy', timer: state === 'busy' && row !== null ? secondsIn(row.text) : null },
    ...{ composer: null, options: [], resets: null, mayType: false, restless: state === 'busy' && row ? [row.at] : [] },
    ...{ columns: null },
    ...more,
  });
  const menu = menuAt(rows);
  if (menu !== null) return say('blocked', menu.question, 'menu', { options: menu.options });
  const hit = hitOf(pack.rule, up);
  if (hit !== null && hit.rule.state !== 'busy') return say(hit.rule.state, hit.row, hit.rule.name);
  const obstacle = (lineMode === true ? null : drawingOn(up, alternate)) ?? doubtOn(rows, up, cursor);
  if (obstacle === 'draft') return say('draft', last ?? null, 'draft');
  const mayType = obstacle === null;
  if (hit !== null) return say('busy', hit.row, hit.rule.name, { mayType });
  if (last !== undefined && PROMPT.test(last.text)) return say('idle', last, obstacle ?? 'prompt', { mayType });
  return say('unknown', null, obstacle ?? 'unknown', { mayType });
}

function hitOf(rules: readonly Rule[], up: readonly Row[]): { readonly rule: Rule; readonly row: Row } | null {
  for (const rule of rules) {
    const region = up.slice(0, rule.state === 'busy' ? Math.min(rule.rows, BUSY_ROWS) : rule.rows);
    const row = region.find(({ text }) => matches(rule.match, text));
    if (row !== undefined && !region.some(({ text }) => matches(rule.not, text))) return { rule, row };
  }
  return null;
}

/** What speaks against typing where the program reads key by key: it draws a screen of its own. */
function drawingOn(up: readonly Row[], alternate: boolean | null): 'box' | 'fullscreen' | null {
  if (alternate === true) return 'fullscreen';
  return up.slice(0, LIVE_ROWS).some(({ text }) => BOX.test(text)) ? 'box' : null;
}

type Doubt = 'choice' | 'shell' | 'draft';

/** What may be a choice, a shell or a draft, however its terminal takes keys. */
function doubtOn(rows: readonly string[], up: readonly Row[], cursor: Picture['cursor']): Doubt | null {
  const asks = up.find(({ at, text }) => !isBlank(text) && (cursor === null || at < cursor.y));
  const before = cursor === null ? '' : beforeCursor(rows, cursor);
  if (looksLikeChoice(up.slice(0, LIVE_ROWS)) || (isBlank(before) && asks !== undefined && ASKS.test(asks.text)))
    return 'choice';
  return SHELL_PROMPT.test(before) ? 'shell' : draftAt(rows, cursor);
}

const beforeCursor = (rows: readonly string[], { x, y }: { readonly x: number; readonly y: number }): string =>
  [...(rows[y] ?? '')].slice(0, x).join('');

/** A row of the cursor that holds more than a prompt: words that somebody typed, or a question that waits for its answer. */
function draftAt(rows: readonly string[], cursor: Picture['cursor']): 'draft' | null {
  if (cursor === null) return null;
  const row = [...(rows[cursor.y] ?? '')];
  const [before, behind] = [row.slice(0, cursor.x).join(''), row.slice(cursor.x).join('')];
  return isBlank(before) || (EMPTY_PROMPT.test(before) && isBlank(behind)) ? null : 'draft';
}
