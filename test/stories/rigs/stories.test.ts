/**
 * Golden stories of rigs: every .txt beside this file is played sentence by sentence on the shipped patrols, and what they did is
 * written under each. `UPDATE_STORIES=1 vitest run test/stories` rewrites them; the diff is the review.
 */
import { afterEach, test, vi } from 'vitest';
import { Chance } from '../../world/chance.ts';
import { settled } from '../../world/time.ts';
import { compareStory, storiesIn } from '../golden.ts';
import { RigStage } from './stage.ts';
import { actOf } from './sentences.ts';

afterEach(() => vi.restoreAllMocks());

const FOLDER = import.meta.dirname;

test.each(storiesIn(FOLDER))('%s', async (name) => {
  const ids = new Chance(1);
  vi.spyOn(Math, 'random').mockImplementation(() => ids.next());
  const stage = new RigStage();
  await compareStory(FOLDER, name, async (sentence) => {
    await actOf(sentence)(stage);
    await settled();
    return stage.take();
  });
});
