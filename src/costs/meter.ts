/** The port of what one conversation took: read on with each look. */
import type { Instant } from '../../machines/protocol.ts';
import type { Books } from '../sources/port.ts';
import type { Counted } from './tally.ts';

/** What one look at all conversations may take. */
export interface Budget {
  bytes: number;
  readonly until: Instant;
  readonly now: () => Instant;
}

export const isLeft = ({ bytes, until, now }: Budget): boolean => bytes > 0 && now() < until;

export interface Meter {
  /** Reads on, within the budget. Never rejects; may take for ever. `books`: as the program tells them now. */
  look(books: Books, budget: Budget): Promise<void>;
  /** As it was read whole last; null = it was not yet, or cannot be. */
  readonly counted: Counted | null;
}
