/**
 * Golden stories: every .txt beside this file is played sentence by sentence on the real street, and what the town did is
 * written under each. `UPDATE_STORIES=1 vitest run test/stories` rewrites them; the diff is the review.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actOf, Stage } from './sentences.ts';

const isTold = (line: string): boolean => line.startsWith('    ');

/** The story with what the town did now. */
function played(story: string): string {
  const stage = new Stage();
  const lines: string[] = [];
  for (const line of story.split('\n').filter((l) => !isTold(l))) {
    lines.push(line);
    if (line === '' || line.startsWith('#')) continue;
    actOf(line)(stage);
    lines.push(...stage.teller.take());
  }
  return lines.join('\n');
}

const FILES = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt'));

test('there are stories, and each begins with a title', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(14);
  for (const name of FILES) expect(readFileSync(join(import.meta.dirname, name), 'utf8')).toMatch(/^# \S.*\.\n\n/);
});

test.each(FILES)('%s', (name) => {
  const path = join(import.meta.dirname, name);
  const story = readFileSync(path, 'utf8');
  const now = played(story);
  if (process.env['UPDATE_STORIES'] === '1') writeFileSync(path, now);
  else expect(now).toBe(story);
});
