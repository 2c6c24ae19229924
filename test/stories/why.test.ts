/**
 * Every golden story as `town why` tells it of each session in it: a page for a reader who has never seen this project,
 * also on a narrow terminal.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { whyText } from '../../src/cli/story/why-text.ts';
import { taleOf, type Told } from '../../src/journal/tale.ts';
import { columnsOf } from '../../src/terminal/columns.ts';
import type { WrittenLine } from '../../state/journal.ts';
import { sentencesOf, storiesIn, storyText } from './golden.ts';
import { actOf } from './sentences.ts';
import { Stage } from './stage.ts';

const FOLDER = import.meta.dirname;
const NARROW = 40;
const MAX_LINES = 10;
/** Alone on its line, or behind its time. */
const LONG_WORD = /^((\d+ \w+ ago|now) +| *)\S+$/;
/** Words that only the builders of this project know, and what never was a sentence. */
const INSIDE = [
  /\b[A-Z]{1,2}-\d+\b/,
  /\blaw \d/,
  /\b(incarnation|kennel|tick|beats?|matrix|actor|dance)s?\b/i,
  /\b[a-z]+[A-Z]\w*\b(?!')/,
  /\bundefined\b|\bNaN\b|\bnull\b/,
  /\bit (the|session|running|starts)\b/,
  /: ;|; ;|\(\)/,
];

interface Page {
  readonly session: string;
  readonly story: readonly Told[];
  readonly lines: readonly WrittenLine[];
}

function pagesOf(file: string): Page[] {
  const stage = new Stage();
  for (const sentence of sentencesOf(storyText(FOLDER, file))) actOf(sentence)(stage);
  const written = stage.journal.map(
    (line) => JSON.parse(JSON.stringify({ ...line, at: new Date(line.at).toISOString() })) as WrittenLine,
  );
  // What is about no session is told of the town.
  const about = Map.groupBy(written, ({ session }) => (typeof session === 'string' ? session : 'the town'));
  return [...about].map(([session, lines]) => ({ session, lines, story: taleOf(lines) }));
}
/** What an agent's own program, or the engine below the town, says in its own words. */
const without = (text: string): string => text.replace(/failed at it \d times: .*?(?=\. See|;| \[|$)/, '');

describe.each(storiesIn(FOLDER))('%s', (file) => {
  let pages: Page[];
  beforeAll(() => {
    pages = pagesOf(file);
  });
  const page = ({ story, session, lines }: Page, room: number | null): string => {
    const wall = Date.parse(lines.at(-1)?.at ?? '') + 60_000;
    return whyText({ story, now: [`now: ${session} is running`], word: session, wall }, room);
  };

  test('is at most ten lines, with how each hearing came out', () => {
    expect(pages.length).toBeGreaterThan(0);
    for (const one of pages) {
      const told = page(one, null).split('\n');
      expect(told.length).toBeLessThanOrEqual(MAX_LINES);
      for (const { kind, reason, dance } of one.lines)
        if (kind === 'dance.closed' && typeof reason === 'string' && typeof dance === 'string')
          expect(told.find((line) => line.includes(reason))).toBeDefined();
    }
  });

  test('has no word that only this project knows, and whole sentences', () => {
    for (const { story } of pages)
      for (const { text } of story)
        expect(
          INSIDE.flatMap((word) => word.exec(without(text))?.[0] ?? []),
          text,
        ).toEqual([]);
  });

  test('fits a terminal of 40 columns, each word whole', () => {
    for (const one of pages) {
      const narrow = page(one, NARROW);
      expect(narrow.split(/\s+/)).toEqual(page(one, null).split(/\s+/));
      const wide = narrow.split('\n').filter((line) => columnsOf(line) > NARROW);
      expect(wide.filter((line) => !LONG_WORD.test(line))).toEqual([]);
    }
  });
});
