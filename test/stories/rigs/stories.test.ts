/**
 * Golden stories of rigs: every .txt beside this file is played sentence by sentence on the shipped patrols, and what they did is
 * written under each. `UPDATE_STORIES=1 vitest run test/stories` rewrites them; the diff is the review.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Chance } from '../../world/chance.ts';
import { settled } from '../../world/time.ts';
import { actOf, RigStage } from './stage.ts';

afterEach(() => vi.restoreAllMocks());

async function played(story: string): Promise<string> {
  const ids = new Chance(1);
  vi.spyOn(Math, 'random').mockImplementation(() => ids.next());
  const stage = new RigStage();
  const lines: string[] = [];
  for (const line of story.split('\n').filter((one) => !one.startsWith('    '))) {
    lines.push(line);
    if (line === '' || line.startsWith('#')) continue;
    await actOf(line)(stage);
    await settled();
    lines.push(...stage.take());
  }
  return lines.join('\n');
}

const FILES = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt'));

test.each(FILES)('%s', async (name) => {
  const path = join(import.meta.dirname, name);
  const story = readFileSync(path, 'utf8');
  const now = await played(story);
  if (process.env['UPDATE_STORIES'] === '1') writeFileSync(path, now);
  else expect(now).toBe(story);
});
