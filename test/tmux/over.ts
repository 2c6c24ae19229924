/** What a test opens is closed when it ends, what came last first. */
import { onTestFinished } from 'vitest';
import { yard, type Yard, type YardOptions } from './yard.ts';

export function untilOver<T extends AsyncDisposable>(opened: T): T {
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** A town's hands for one test. */
export const town = async (options: YardOptions = {}): Promise<Yard> => untilOver(await yard(options));
