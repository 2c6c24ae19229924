/** Courts that are open until their test is over. */
import { untilOver } from '../../world/over.ts';
import { Court } from './court.ts';
import type { StartOptions, CourtOptions } from './court-options.ts';

/** A court with this program in a session, until the test is over. */
export async function courtWith(
  command: readonly string[],
  { width, height, ready, ...options }: StartOptions & CourtOptions = {},
) {
  const court = untilOver(await Court.open(options));
  return { court, target: await court.start(command, { width, height, ready }) };
}

/** The same, and the program was asked. */
export async function courtAsking(command: readonly string[], options: StartOptions & CourtOptions = {}) {
  const { court, target } = await courtWith(command, options);
  return { court, target, attempts: [await court.asked(target)] };
}
