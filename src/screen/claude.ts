/**
 * Claude Code's screens. Its composer stands between two rules at the bottom; a dialog takes the composer's place, so a
 * dialog above a composer is a quotation. Everything else (transcript viewer, pickers) is unknown.
 */
import { kindOf } from './agents.ts';
import type { Composer, Pack, Screen } from './screen.ts';
import { fromBottom, menuAt, secondsIn } from './region.ts';
import type { Row } from './region.ts';
import { isBlank, plain, withoutGhost } from './text.ts';

const RULE = /^\s*[╭╰├]?[─━]{8,}/;
const PROMPT = /^\s*[│┃]?\s*[❯>!]([\u00a0\s]|$)/;
const PLACEHOLDER = /^Try "/;
const SPINNER = /^[✶✢✽✻✳·*] \S.*…/;
const FOOTER_BUSY = /(?:esc|ctrl\+c) to interrupt|\b\d+ background (?:task|agent|shell)s?\b/i;
const WAITING = /^\s*(?:[✶✢✽✻✳·*⎿] )?Waiting for \d+ .+ to finish/;
const LIMIT = /^\s*(?:[⎿⏺└]\s*)?(?:You've hit your .*limit|.*limit reached)\s*[·∙•].*\bresets\b/;
const VIEWER = /^\s*Showing detailed transcript/;

/** How much may stand between two rules, and below the second: a longer one is no composer. */
const MOST_DRAFT_ROWS = 30;
const MOST_FOOTER_ROWS = 8;
/** A usage limit is told in the last words before the composer. */
const LIMIT_ROWS = 3;

export const claude: Pack = {
  name: 'claude',
  multiline: true,
  complete: true,
  read,
  limitOn,
  fits: (program) => kindOf(program) === 'claude',
};

function read(captured: readonly string[]): Screen {
  const rows = captured.map(plain);
  const composer = composerOf(captured, rows);
  const menu = composer === null ? menuAt(rows) : null;
  if (menu !== null) return screen('blocked', composer, menu);
  const footer = rows.slice(composer?.last ?? rows.length);
  if (composer === null || footer.some((row) => VIEWER.test(row))) return screen('unknown', composer, null);
  const above = rows.slice(0, composer.from);
  const busy = busyRow(above) ?? footerRow(footer, composer.last);
  if (busy !== null) return screen('busy', composer, busy);
  const limit =
    fromBottom(above)
      .slice(0, LIMIT_ROWS)
      .find(({ text }) => LIMIT.test(text)) ?? null;
  return limit === null ? screen('idle', composer, null) : screen('blocked', composer, limit);
}

/** What a program says when it ends of it without a composer, and the row that tmux adds below. */
const LIMIT_END = /^\s*(?:Claude AI usage limit reached\b|You've hit your .*limit\b)/;
const PANE_DEAD = /^Pane is dead\b/;

function limitOn(captured: readonly string[]): string | null {
  const rows = captured.map(plain);
  const said = fromBottom(rows.slice(0, composerOf(captured, rows)?.from))
    .filter(({ text }) => !PANE_DEAD.test(text))
    .slice(0, LIMIT_ROWS);
  return said.find(({ text }) => LIMIT.test(text) || LIMIT_END.test(text))?.text.trim() ?? null;
}

function screen(state: Screen['state'], composer: Composer | null, row: Row | null): Screen {
  return {
    state,
    what: row?.text.replace(/[│┃]/g, ' ').trim() ?? state,
    row: row?.at ?? null,
    timer: state === 'busy' && row !== null ? secondsIn(row.text) : null,
    composer: composer && { from: composer.from, to: composer.to, draft: composer.draft },
  };
}

/** `last` is the row below the second rule. */
function composerOf(
  captured: readonly string[],
  rows: readonly string[],
): (Composer & { readonly last: number }) | null {
  const bottom = rows.findLastIndex((row) => RULE.test(row));
  if (bottom < 1 || rows.slice(bottom + 1).filter((row) => !isBlank(row)).length > MOST_FOOTER_ROWS) return null;
  const top = rows.findLastIndex((row, at) => at < bottom && RULE.test(row));
  if (top < 0 || bottom - top - 1 > MOST_DRAFT_ROWS || !PROMPT.test(rows[top + 1] ?? '')) return null;
  const draft = captured
    .slice(top + 1, bottom)
    .map((row) =>
      withoutGhost(row)
        .replace(/^[\s│┃]*/, '')
        .replace(/[\s│┃]*$/, ''),
    )
    .join('\n')
    .replace(/^[❯>]\s*/, '')
    .trim();
  return { from: top, to: rows.length - 1, last: bottom + 1, draft: PLACEHOLDER.test(draft) ? '' : draft };
}

/** The spinner is the first row above the composer that is not indented below it (tasks, tips, output). */
function busyRow(above: readonly string[]): Row | null {
  const row = fromBottom(above).find(({ text }) => /^\S/.test(text) && !text.startsWith('⎿'));
  return row !== undefined && (SPINNER.test(row.text) || WAITING.test(row.text)) ? row : null;
}

function footerRow(footer: readonly string[], from: number): Row | null {
  const at = footer.findIndex((row) => FOOTER_BUSY.test(row));
  return at < 0 ? null : { at: from + at, text: footer[at] ?? '' };
}
