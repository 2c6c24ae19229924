/**
 * Golden stories that real processes play, for rules about locks, processes and files, which the world of the others does not
 * have. `UPDATE_STORIES=1 vitest run test/stories/live` rewrites them; the diff is the review.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actOf, Scene } from './told.ts';

async function played(story: string): Promise<string> {
  const scene = new Scene();
  const lines: string[] = [];
  for (const line of story.split('\n').filter((one) => !one.startsWith('    '))) {
    lines.push(line);
    if (line === '' || line.startsWith('#')) continue;
    const told = await actOf(line)(scene);
    lines.push(...told.map((one) => `    ${scene.plain(one)}`.trimEnd()));
  }
  return lines.join('\n');
}

const FILES = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt'));

test.each(FILES)('%s', { timeout: 240_000 }, async (name) => {
  const path = join(import.meta.dirname, name);
  const story = readFileSync(path, 'utf8');
  const now = await played(story);
  if (process.env['UPDATE_STORIES'] === '1') writeFileSync(path, now);
  else expect(now).toBe(story);
});
