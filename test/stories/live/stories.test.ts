/**
 * Golden stories that real processes play, for rules about locks, processes and files, which the world of the others does not
 * have. `UPDATE_STORIES=1 vitest run test/stories/live` rewrites them; the diff is the review.
 */
import { test } from 'vitest';
import { compareStory, storiesIn } from '../golden.ts';
import { actOf, Scene } from './sentences.ts';

const FOLDER = import.meta.dirname;

test.each(storiesIn(FOLDER))('%s', async (name) => {
  const scene = new Scene();
  await compareStory(FOLDER, name, async (sentence) => {
    const told = await actOf(sentence)(scene);
    return told.map((one) => `    ${scene.plain(one)}`.trimEnd());
  });
});
