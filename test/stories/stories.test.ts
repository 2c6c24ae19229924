/**
 * Golden stories: every .txt beside this file is played sentence by sentence on the real tree of actors, and what the town did is
 * written under each. `UPDATE_STORIES=1 vitest run test/stories` rewrites them; the diff is the review.
 */
import { expect, test } from 'vitest';
import { compareStory, storiesIn, storyText } from './golden.ts';
import { actOf } from './sentences.ts';
import { Stage } from './stage.ts';

const FOLDER = import.meta.dirname;

test('there are stories, and each begins with a title', () => {
  const names = storiesIn(FOLDER);
  expect(names.length).toBeGreaterThanOrEqual(14);
  for (const name of names) expect(storyText(FOLDER, name)).toMatch(/^# \S.*\.\n(# Rules: \S.*\.\n)?\n/);
});

test.each(storiesIn(FOLDER))('%s', async (name) => {
  const stage = new Stage();
  await compareStory(FOLDER, name, (sentence) => {
    actOf(sentence)(stage);
    return stage.teller.take();
  });
});
