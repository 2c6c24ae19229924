/** How the names and patterns of `[[asks.rule]]` are compared. A pattern that takes too long fits nothing. */
import { Script } from 'node:vm';
import type { Fits } from '../../machines/channels/rules.ts';
import { coveredBy } from './glob.ts';

/** Of one comparison: a pattern without a flaw takes microseconds. */
const MOST_MS = 50;
const COMPARE = new Script("new RegExp('^(?:' + pattern + ')$', 'u').test(text)");

export const FITS: Fits = {
  name: (name, glob) => coveredBy(name, [glob]) !== null,
  text: (pattern, text) => {
    try {
      return COMPARE.runInNewContext({ pattern, text }, { timeout: MOST_MS }) === true;
    } catch {
      return false;
    }
  },
};
