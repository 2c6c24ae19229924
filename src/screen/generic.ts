/**
 * A program that no complete pack knows: marks that many share, at the bottom only, and the pack's own rules besides. It has
 * no composer, so text goes only where nothing speaks against it: no choice and no draft, and outside of line mode no box and
 * no alternate screen either. Pure.
 */
import { columnsOf, cutAt } from '../terminal/columns.ts';
import { looksLikeChoice, menuAt } from './menu.ts';
import { matches } from './matching.ts';
import type { Pack, Rule } from './pack.ts';
import { fromBottom, secondsIn, type Row } from './region.ts';
import type { Picture, Screen, ScreenState } from './screen.ts';
import { textOf, withoutFaintAt, type Span } from './spans.ts';
import { isBlank } from './text.ts';

/** How far up a box, a menu or a question may stand and still be what takes the keys. */
const LIVE_ROWS = 15;
const BUSY_ROWS = 8;
const BOX = /^\s*(?:[╭╰┌└╔╚╹╻┃│║]|[─━═▀▄]{8,}\s*$|\+[-=]{4,}\+)/u;
/** Words right above an empty row that wait for a key or a word, in any script: a question, or the name of what is wanted. */
const ASKS = /[?\u037e](?:\s|$)|[？؟⁇⁈⁉‽⸮՞፧꘏]|[:：︰﹕]\s*$|[[(（][yY]\/[nN]/u;
/** The same before a prompt's own sign. */
const ASKS_BEFORE_SIGN =
  /(?:[?\u037e？؟⁇⁈⁉‽⸮՞፧꘏:：︰﹕]|[[(（](?:[yY]|[nN])(?:es|o)?(?:\/[^\s()[\]（）]*)?[\])）])\s*[❯›>»]\s*$/u;
/** The same at the cursor, without a prompt before it. */
const WAITS = /^(?!.*[$#%❯›>»λ]\s).*(?:[?\u037e？؟⁇⁈⁉‽⸮՞፧꘏][\s)\]）」』"'”»]*|[:：︰﹕]\s*)$/u;
const PROMPT = /^(?:\S.*[\s\])~\p{L}_-])?(?:[$#❯›>]+|(?<!\d)%)\s*$/u;
/** What may stand before the cursor where nothing is typed: a prompt without a word behind it. */
const EMPTY_PROMPT = /^(?!.*[$#%❯›>»λ]\s+\S)(?:.*[❯›>»λ✗]|\(\w+\)|In \[\d+\]:)\s*$/u;
/** A shell's, of here or of another machine: what is typed there is run (D-8). */
const SHELL_PROMPT = /^.*(?:[$#]|(?<!\d)%)\s*$/u;

/**
 * `rows` without colours, `spans` with them. Words at the cursor may be the program's suggestion, where they are faint. Behind
 * words they are the default of a question: only a bare sign is a prompt.
 */
export function readGeneric(pack: Pack, picture: Picture, spans: readonly (readonly Span[])[]): Screen {
  const screen = readRows(pack, picture);
  const { rows, cursor } = picture;
  const isAtWords = screen.rule === `${pack.name}/draft` || screen.rule === `${pack.name}/behind`;
  if (!isAtWords || cursor === null || HAS_WORDS.test(cutAt(rows[cursor.y] ?? '', cursor.x)[0])) return screen;
  return readRows(pack, { ...picture, rows: withoutFaintAt(spans, cursor).map(textOf) });
}

const HAS_WORDS = /[\p{L}\p{N}]/u;

function readRows(pack: Pack, picture: Picture): Screen {
  const { rows, cursor, lineMode } = picture;
  const up = fromBottom(rows);
  const last = up[0];
  const say = (state: ScreenState, row: Row | null, rule: string, more: Partial<Screen> = {}): Screen => ({
    state,
    rule: `${pack.name}/${rule}`,
    what: row?.text.trim() ?? state,
    row: row?.at ?? null,
    busy: state === 'busy',
    timer: state === 'busy' && row !== null ? secondsIn(row.text) : null,
    composer: null,
    options: [],
    resets: null,
    mayType: false,
    animated: state === 'busy' && row ? [row.at] : [],
    columns: null,
    ...more,
  });
  const menu = menuAt(rows);
  if (menu !== null) return say('blocked', menu.question, 'menu', { options: menu.options });
  const hit = hitOf(pack.rule, up);
  if (hit !== null && hit.rule.state !== 'busy') return say(hit.rule.state, hit.row, hit.rule.name);
  const obstacle = (lineMode === true ? null : drawingOn(rows, up, picture)) ?? doubtOn(picture, up);
  if (obstacle === 'waits') return say('blocked', up.find(({ at }) => at === cursor?.y) ?? null, 'waits');
  if (obstacle === 'draft') return say('draft', last ?? null, 'draft');
  const mayType = obstacle === null;
  if (hit !== null) return say('busy', hit.row, hit.rule.name, { mayType });
  const isPrompt = mayType || obstacle === 'shell';
  if (isPrompt && last !== undefined && PROMPT.test(last.text))
    return say('idle', last, obstacle ?? 'prompt', { mayType });
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
function drawingOn(
  rows: readonly string[],
  up: readonly Row[],
  { alternate, cursor }: Pick<Picture, 'alternate' | 'cursor'>,
): 'box' | 'fullscreen' | 'behind' | null {
  if (alternate === true) return 'fullscreen';
  if (up.slice(0, LIVE_ROWS).some(({ text }) => BOX.test(text))) return 'box';
  // Programs that draw lists park the cursor on an empty row: only a prompt before it takes words.
  const isBehind = cursor === null ? up.length === 0 : isAtStart(rows, cursor) || up.some(({ at }) => at > cursor.y);
  return isBehind ? 'behind' : null;
}

/** Nothing stands before the cursor in its row. */
const isAtStart = (rows: readonly string[], { x, y }: NonNullable<Picture['cursor']>): boolean =>
  isBlank(cutAt(rows[y] ?? '', x)[0]);

type Doubt = 'choice' | 'shell' | 'waits' | 'draft';

/** What may be a choice, a shell or a draft, however its terminal takes keys. */
function doubtOn({ rows, cursor, width }: Picture, up: readonly Row[]): Doubt | null {
  const asks = up.find(({ at, text }) => !isBlank(text) && (cursor === null || at < cursor.y));
  const before = cursor === null ? '' : beforeCursor(rows, cursor, width);
  const isAsked = isBlank(before) ? asks !== undefined && ASKS.test(asks.text) : ASKS_BEFORE_SIGN.test(before);
  if (isAsked || looksLikeChoice(up.slice(0, LIVE_ROWS))) return 'choice';
  if (SHELL_PROMPT.test(before)) return 'shell';
  const behind = cursor === null ? '' : cutAt(rows[cursor.y] ?? '', cursor.x)[1];
  return draftBetween(before, behind);
}

/** A full row, half a wide letter and the blank between two words aside. */
const LEFT_FREE = 2;

/** The line up to the cursor, put together where the terminal wrapped it. */
function beforeCursor(
  rows: readonly string[],
  { x, y }: NonNullable<Picture['cursor']>,
  width: Picture['width'],
): string {
  let line = cutAt(rows[y] ?? '', x)[0];
  // A full row waits at its end for the next letter: with nothing below, it was ended.
  for (let at = y - 1; at > y - LIVE_ROWS && width !== null && !isBlank(line); at -= 1) {
    const row = (rows[at] ?? '').trimEnd();
    if (columnsOf(row) < Math.max(1, width - LEFT_FREE)) break;
    line = `${row.padEnd(width)}${line}`;
  }
  return line;
}

/** A line that holds more than a prompt: a question that waits for its answer, or typed words. */
function draftBetween(before: string, behind: string): 'waits' | 'draft' | null {
  if (isBlank(before) || (EMPTY_PROMPT.test(before) && isBlank(behind))) return null;
  return isBlank(behind) && WAITS.test(before) ? 'waits' : 'draft';
}
