/** Ids of new beads, as `bd` makes them: a prefix, what kind of thing it is where that matters, and a few signs by chance. */
import { LEDGER } from '../../state/ledger/policy.ts';

/** The default prefix. */
export const PREFIX = 'tw';
const BASE = 36;

/** No secret: what is made twice is drawn anew. So a command need not load what makes secrets. */
export const chance = (length: number = LEDGER.idLength): string =>
  Array.from({ length }, () => Math.floor(Math.random() * BASE).toString(BASE)).join('');

/** `tw-4k2x9q`; a wisp `tw-wisp-4k2x9q`, a convoy `tw-cv-4k2x9q`. */
export const newId = (prefix: string, kind: '' | 'wisp' | 'cv'): string =>
  [prefix, ...(kind === '' ? [] : [kind]), chance()].join('-');

/** The id of one write: a repetition gives the same id. */
export const newWrite = (): string => `cli-${chance(12)}`;
