/** The needs of a verb of `bd`, its answer, and its error about a missing bead. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import type { Context } from '../context.ts';

/** The words behind a verb, all in one list. */
export type Words = readonly string[];

export interface Desk {
  readonly context: Context;
  /** The ledger with the caller's rights. */
  readonly ledger: Ledger;
  /** The ledger for what a verb does beyond these rights, after a check of its own. */
  readonly town: Ledger;
  /** The author; empty for a verb that only looks. */
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
  /** The time that opening the ledger took. */
  readonly openingMs: number;
}

/** The answer of a verb: `data` for programs, `text` for people. `exit` 1 with an answer is what only `show` does. */
export interface Answer {
  readonly data: unknown;
  readonly text: string;
  /** Whole lines for stderr. */
  readonly warnings?: readonly string[];
  readonly exit?: 0 | 1;
}

/** An error in the words of `bd`, printed as it is. */
export const bdFailure = (text: string): Failure => new Failure(EXIT.failed, 'bd', text);

export const notFound = (id: string, doing = 'resolving'): Failure =>
  bdFailure(`Error ${doing} ${id}: no issue found matching "${id}"`);

/** Throws Failure. */
export async function issueCalled(ledger: Ledger, id: string): Promise<Bead> {
  const [bead] = await ledger.beads([id]);
  if (bead === undefined) throw notFound(id);
  return bead;
}

/** The words of an option that takes several, with commas or given again. */
export const commas = (...lists: readonly (readonly string[] | undefined)[]): string[] =>
  lists
    .flatMap((words) => words ?? [])
    .flatMap((word) => word.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');
