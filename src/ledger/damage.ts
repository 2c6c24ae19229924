/** What became of a ledger that was damaged, in words. */
import { FILES } from '../../state/files/layout.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import type { Damage } from '../../state/ledger/file.ts';

/** As every file that does not count. */
export const refusedBy = ({ why, movedTo }: Damage): Refused => ({ file: FILES.ledger, why, requester: null, movedTo });

export const sequelOf = ({ restoredFrom }: Damage): string =>
  restoredFrom === null
    ? 'There was no good backup: the ledger began anew, empty.'
    : `The backup ${restoredFrom} took its place; what was written after it is not there.`;
