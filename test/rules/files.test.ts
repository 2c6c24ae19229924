/**
 * Files of one subject: short enough to be read at once, and each says first what it owns.
 */
import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRODUCT, sourcesOf } from '../../scripts/rooms.ts';
import { ROOT } from './planted.ts';

const MAX_LINES = 300;
/** Twelve lines of text and the two that hold the comment. */
const MAX_HEADER_LINES = 14;

const lines = (path: string): string[] => readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n');

/** The lines of the doc comment that opens a file (a line for the shell may stand before it); empty if there is none. */
function headerOf(path: string): string[] {
  const text = lines(path);
  const body = text[0]?.startsWith('#!') === true ? text.slice(1) : text;
  if (body[0]?.startsWith('/**') !== true) return [];
  return body.slice(0, body.findIndex((line) => line.includes('*/')) + 1);
}

describe.each([...PRODUCT, 'scripts'] as const)('files of %s/', (room) => {
  const files = sourcesOf(ROOT, room);

  it(`have ${MAX_LINES} lines at most`, () => {
    const long = files.filter((path) => lines(path).length > MAX_LINES);
    expect(long.map((path) => `${path}: ${lines(path).length} lines`)).toEqual([]);
  });

  it('begin with a doc comment that says what they own', () => {
    const silent = files.filter((path) => !/[a-z]{3,}.*[.:]/is.test(headerOf(path).join(' ')));
    expect(silent).toEqual([]);
  });

  it(`keep that comment within ${MAX_HEADER_LINES} lines`, () => {
    expect(files.filter((path) => headerOf(path).length > MAX_HEADER_LINES)).toEqual([]);
  });
});
