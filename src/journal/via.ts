/** Says who really wrote a text with an author name (law 11). */

/** The person's own name. */
const OWN = 'overseer';

/** What the operator wrote in another name, as a word behind that name; of anybody else, and where it is not known, nothing. */
export const viaText = (via: unknown, name: unknown): string =>
  via === 'operator' && name !== OWN ? ' (via operator)' : '';
