/** Why an actor crashed, in words for a person: XState's words about its own parts are left out. */

/** It puts these before the error of a guard, with a line end behind. */
const OF_THE_MACHINE = /^Unable to evaluate [^\n]*:\n/;

export const causeOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(OF_THE_MACHINE, '');
