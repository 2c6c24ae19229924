/**
 * What an agent's screen says (M-2, M-8).
 * 1. Blocked outranks busy, busy outranks idle; unknown stays unknown and never becomes idle.
 * 2. Only the live bottom region is judged: text above it may be a quotation.
 * 3. Text may be typed only where an empty composer is seen. In doubt about a draft or a dialog it is one (D-6). Pure;
 *    never throws.
 */
import { composerOn } from './composer.ts';
import { columnsOf, cutAt } from '../terminal/columns.ts';
import { readGeneric } from './generic.ts';
import { isAskedBelow, letteredOptions, menuAt, namesAnswers } from './menu.ts';
import { matches } from './matching.ts';
import type { Pack, Rule } from './pack.ts';
import { READING } from './policy.ts';
import { secondsIn } from './region.ts';
import { firstHit, hitOf, regionOf, resetsIn, wordsOf, type Hit, type Page } from './rules.ts';
import type { Composer, Picture, Screen, ScreenState } from './screen.ts';
import { spansOf, textOf, type Span } from './spans.ts';
import { withinOr } from './time-limit.ts';

export function readScreen(pack: Pack, picture: Picture): Screen {
  const all = spansOf(picture.rows);
  const captured = all.map(textOf);
  if (captured.some((row) => row.length > READING.maxRowChars)) return unread(pack, 'too-wide');
  return withinOr(pack, () => screenOf(pack, picture, all, captured), unread(pack, 'too-slow'));
}

/** Nothing is known of it. */
const unread = ({ name }: Pack, why: string): Screen => ({
  state: 'unknown',
  rule: `${name}/${why}`,
  what: 'unknown',
  row: null,
  busy: false,
  timer: null,
  composer: null,
  options: [],
  resets: null,
  mayType: false,
  animated: [],
  columns: null,
});

function screenOf(
  pack: Pack,
  picture: Picture,
  all: readonly (readonly Span[])[],
  captured: readonly string[],
): Screen {
  const columns = talkOf(pack, captured, picture.width);
  const rows = columns === null ? captured : captured.map((row) => cutAt(row, columns)[0].trimEnd());
  const spans = columns === null ? all : all.map((row) => cutSpans(row, columns));
  if (!pack.complete) return { ...readGeneric(pack, { ...picture, rows }, spans), columns };
  const found = composerOn(pack.composer, rows, spans, picture.cursor);
  const { title, at } = picture;
  const breaks = Math.max(1, Math.ceil(READING.narrowColumns / (picture.width ?? Infinity)));
  const page = { rows, composer: isQuoted(found, rows) ? null : found, title, at, breaks };
  return { ...judge(pack, page), columns };
}

/**
 * An empty composer with a dialog around it is a quotation, or a field of that dialog: a program's own menu belongs to
 * typed text.
 */
const isQuoted = (found: Composer | null, rows: readonly string[]): boolean =>
  found !== null &&
  found.draft === '' &&
  (namesAnswers(rows.slice(found.from, found.to + 1)) || isAskedBelow(rows.slice(found.to + 1)));

/** How many columns are the talk; null = all. */
function talkOf({ cut }: Pack, rows: readonly string[], width: number | null): number | null {
  const most = width ?? Math.max(0, ...rows.map((row) => [...row].length));
  let columns = most;
  for (const { columns: count, wider_than, seen } of cut) {
    const left = columns - count;
    if (most > wider_than && left > 0 && rows.some((row) => row.length > left && matches(seen, cutAt(row, left)[1])))
      columns = left;
  }
  return columns === most ? null : columns;
}

function cutSpans(row: readonly Span[], columns: number): Span[] {
  let left = columns;
  return row.flatMap((span) => {
    const [text] = cutAt(span.text, Math.max(0, left));
    left -= columnsOf(span.text);
    return text === '' ? [] : [{ ...span, text }];
  });
}

/** Makes the result for a state, after the rules of its kind. */
type Say = (state: ScreenState, by: Hit | null, more?: Partial<Screen>) => Screen;

function judge(pack: Pack, page: Page): Screen {
  const { composer } = page;
  const work = firstHit(pack, page, ['busy']);
  const isBusy = work !== null;
  const say: Say = (state, by, more = {}) => ({
    state,
    rule: `${pack.name}/${by?.rule.name ?? state}`,
    what: by === null ? state : wordsOf(by.row.text),
    row: by === null || by.row.at < 0 ? null : by.row.at,
    busy: isBusy,
    composer,
    columns: null,
    timer: isBusy ? secondsIn(work.row.text) : null,
    animated: [...new Set([...animatedOf(pack, page), ...(isBusy && work.row.at >= 0 ? [work.row.at] : [])])],
    options: [],
    resets: null,
    mayType: false,
    ...more,
  });
  const limit = firstHit(pack, page, ['limited']);
  const isLimited = limit !== null && (!isBusy || limit.rule.while_busy);
  const obstacle = askedOf(pack, page, say, isBusy);
  if (obstacle !== null) return obstacle;
  if (isLimited)
    return say('limited', limit, {
      resets: resetsIn(page, limit.rule),
      ...(!isBusy && isCut(pack, page) && { isCut: true }),
    });
  if (composer === null) return isBusy ? say('busy', work) : lostOf(pack, page, say);
  if (composer.draft !== '') return say(isBusy ? 'busy_draft' : 'draft', work);
  return isBusy ? say('busy', work, { mayType: true }) : restOf(pack, page, say);
}

/** The limit stands where the answer of its last turn would. */
const isCut = (pack: Pack, page: Page): boolean =>
  pack.rule.some((one) => one.state === 'limited' && one.in === 'above' && hitOf(one, pack, page) !== null);

/**
 * What waits for a person, or where the program has ended; null = nothing does. While a turn runs, the talk says nothing
 * of a login: a tool or the agent may have written the words.
 */
function askedOf(pack: Pack, page: Page, say: Say, isBusy: boolean): Screen | null {
  const mayCount = ({ state, in: where, weak }: Rule): boolean =>
    !weak && !(isBusy && state === 'login' && where === 'above');
  const asks = firstHit(pack, page, ['blocked', 'login', 'picker', 'gone'], mayCount) ?? limitDialogOf(pack, page);
  if (asks?.rule.state === 'gone') return say('gone', asks);
  const menu = page.composer === null ? menuAt(page.rows, asks !== null) : null;
  const asked =
    menu === null ? {} : { row: menu.question.at, what: wordsOf(menu.question.text), options: menu.options };
  if (asks !== null) {
    const isOwn = asks.rule.in === 'beside' || (asks.row.at >= 0 && menu !== null && asks.row.at < menu.from);
    const what = isOwn ? { options: menu?.options ?? [] } : asked;
    return say(asks.rule.state, asks, { ...what, ...optionsOf(page, asks.rule), resets: resetsIn(page, asks.rule) });
  }
  return menu === null ? null : { ...say('blocked', null, asked), rule: `${pack.name}/menu` };
}

/** A usage limit where no composer is: it asks what to do now, and may say that it works all the while. */
function limitDialogOf(pack: Pack, page: Page): Hit | null {
  const limit = firstHit(pack, page, ['limited']);
  return limit?.rule.in === 'live' ? limit : null;
}

/** Neither a composer nor work is to be seen. */
function lostOf(pack: Pack, page: Page, say: Say): Screen {
  const error = firstHit(pack, page, ['error']);
  return error === null ? say('unknown', null) : say('error', error);
}

/** An empty composer, and no work. */
function restOf(pack: Pack, page: Page, say: Say): Screen {
  const error = firstHit(pack, page, ['error']);
  if (error !== null) return say('error', error, { mayType: true });
  const aside = firstHit(pack, page, ['busy'], ({ weak }) => weak);
  if (aside !== null) return say('busy', aside, { busy: true, mayType: true });
  return say('idle', null, { mayType: true });
}

/** Rows that are redrawn in place, whichever rule tells the state. */
function animatedOf(pack: Pack, page: Page): number[] {
  const busy = pack.rule.filter(({ state, in: where, typed }) => state === 'busy' && where !== 'title' && !typed);
  return busy.flatMap((rule) =>
    regionOf(rule, page)
      .filter(({ text }) => matches(rule.match, text))
      .map(({ at }) => at),
  );
}

/** A label may name its key. */
const OWN_KEY = /^(?:Space|Enter)\b/;

/** Options that no pointer tells: in one row or below each other. The first counts as chosen. */
function optionsOf(page: Page, rule: Rule): Partial<Screen> {
  const [label] = rule.options;
  if (label === undefined) return {};
  const each = new RegExp(label.source, `g${label.flags}`);
  const rows = regionOf(rule, page)
    .map(({ text }) => [...text.matchAll(each)].map(([all, words]) => (words ?? all).trim()))
    .filter((labels) => labels.length > 0)
    .reverse();
  const step = rows.length > 1 ? 'Down' : 'Right';
  const inRow = rows.flat().map((words, at) => {
    const own = OWN_KEY.exec(words)?.slice();
    const keys = own ?? [...Array.from({ length: at }, () => step), 'Enter'];
    return { label: words, keys, chosen: at === 0, ...(own === undefined && { isGuessed: true as const }) };
  });
  return { options: letteredOptions(page.rows, rows.flat()) ?? inRow };
}
