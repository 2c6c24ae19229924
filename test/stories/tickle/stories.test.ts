/** Golden stories of Tickle: `UPDATE_STORIES=1 vitest run test/stories` rewrites them; the diff is the review. */
import { test } from 'vitest';
import { compareStory, storiesIn } from '../golden.ts';
import { actOf, Stage } from './sentences.ts';

const FOLDER = import.meta.dirname;

test.each(storiesIn(FOLDER))('%s', async (name) => {
  const stage = new Stage();
  await compareStory(FOLDER, name, (sentence) => {
    actOf(sentence)(stage);
    return stage.take();
  });
});
