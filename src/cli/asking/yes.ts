/** A question of yes or no to the person at the terminal. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { print, terminal } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';

/** Whether a person is there: a terminal on both sides, and no program that reads JSON. */
export const canAsk = ({ json }: Pick<Context, 'json'>): boolean =>
  process.stdin.isTTY && terminal('stderr') !== null && !json;

/** Asks on stderr. Anything but `y` or `yes`, an end of the input too, is a no. */
export async function saysYes(question: string): Promise<boolean> {
  print(question, 'stderr');
  const line = createInterface({ input: process.stdin });
  const ends = once(line, 'close').then(() => '');
  const answer = await Promise.race([line.question(''), ends]);
  line.close();
  return /^y(es)?$/i.test(answer.trim());
}
