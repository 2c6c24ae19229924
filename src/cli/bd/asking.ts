/** What the verbs of `bd` share: who asks, which bead is meant, and how it says that there is none. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';

/** What a verb answers: `data` for programs, `text` for people. `exit` 1 with an answer is what only `show` does. */
export interface Answer {
  readonly data: unknown;
  readonly text: string;
  /** Whole lines for stderr. */
  readonly warnings?: readonly string[];
  readonly exit?: 0 | 1;
}

/** Runs a verb and prints its answer. */
export interface Verb {
  (work: () => Promise<Answer>): Promise<void>;
  looks(work: (ledger: Ledger) => Promise<Answer>): Promise<void>;
  /** In whose name: as `actor`. */
  changes(work: (by: string) => Promise<Answer>, wanted?: string): Promise<void>;
  /** In whose name, unless the verb has a word for it: --actor, else what the environment says. Rejects with Failure. */
  actor(wanted?: string): Promise<string>;
}

/** An error in the words of `bd`, printed as it is. */
export const bdFailure = (text: string): Failure => new Failure(EXIT.failed, 'bd', text);

export const notFound = (verb: string, id: string): Failure =>
  bdFailure(`Error ${verb} ${id}: no issue found matching "${id}"`);

/** Throws Failure. */
export async function issueCalled(ledger: Ledger, id: string, verb = 'resolving'): Promise<Bead> {
  const [bead] = await ledger.beads([id]);
  if (bead === undefined) throw notFound(verb, id);
  return bead;
}

export const commas = (words: readonly string[]): string[] =>
  words
    .flatMap((word) => word.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const line = ({ id, priority, type, status, assignee, title }: Bead): string =>
  `${id} [P${priority}] [${type}] ${status}${assignee === '' ? '' : ` @${assignee}`} - ${title}`;
