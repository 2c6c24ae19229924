/** `town skill`: the file that tells a model how to work under a town. */
import type { Context } from '../context.ts';
import { SKILL } from '../skill-text.ts';

export function skill(context: Context): Promise<void> {
  context.answerPlain('skill', { text: SKILL }, SKILL.trimEnd());
  return Promise.resolve();
}
