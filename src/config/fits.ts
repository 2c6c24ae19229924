/** How the names and patterns of `[[asks.rule]]` are compared. Of one that takes too long nothing is known. */
import type { Fits } from '../../machines/channels/rules.ts';
import { TimeLimit } from '../screen/time-limit.ts';
import { coveredBy } from './glob.ts';

/** ms of CPU for one comparison: a pattern without a flaw takes microseconds. */
const MOST_MS = 50;

export const FITS: Fits = {
  name: (name, glob) => coveredBy(name, [glob]) !== null,
  text: (pattern, text) => {
    try {
      const whole = new RegExp(`^(?:${pattern})$`, 'u');
      return new TimeLimit(() => undefined, MOST_MS).run(() => whole.test(text));
    } catch {
      return null;
    }
  },
};
