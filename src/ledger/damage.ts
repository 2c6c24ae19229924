/** What became of a ledger that was damaged, in words. */
import type { Damage } from '../../state/ledger/file.ts';

export const sequelOf = ({ restoredFrom }: Damage): string =>
  restoredFrom === null
    ? 'There was no good backup: the ledger began anew, empty.'
    : `The backup ${restoredFrom} took its place; what was written after it is not there.`;
