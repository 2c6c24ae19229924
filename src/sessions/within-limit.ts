/**
 * Questions to a folder or file whose path an agent chose: a disk over a network may never answer, and each question that
 * hangs has one of the few threads by which this process asks any disk.
 */
import { SOURCES } from '../sources/policy.ts';

/** Places that did not answer in time, and do not yet. */
const hung = new Set<string>();

/** undefined = no answer in time. A place that hangs is not asked again meanwhile, and with several of them none is. Rejects as `ask` does. */
export async function withinLimit<T>(place: string, ask: () => Promise<T>): Promise<T | undefined> {
  if (hung.has(place) || hung.size >= SOURCES.maxHung) return undefined;
  const late = Promise.withResolvers<undefined>();
  const limit = setTimeout(() => {
    hung.add(place);
    late.resolve(undefined);
  }, SOURCES.answerMs);
  const answer = ask().finally(() => {
    clearTimeout(limit);
    hung.delete(place);
  });
  return Promise.race([answer, late.promise]);
}
