/** Says who really wrote a text with an author name (law 11). */

/** Who asks or answers for the operator: `operator`, or a caller of a channel. */
export const operatorBy = (by: string | null | undefined): string =>
  by === 'operator' || !by ? 'the operator' : `the operator by ${by}`;

/** The person's own name. */
const OWN = 'overseer';

/** What the operator wrote in another name, as a word behind that name; of anybody else, and where it is not known, nothing. */
export const viaText = (via: unknown, name: unknown): string =>
  via === 'operator' && name !== OWN ? ' (via operator)' : '';
