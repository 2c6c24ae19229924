/** Polecats that are on record and do not run: a case of one that is gone is over. */
import { POLECATS, polecatPlace } from '../../state/rigs/schemas.ts';
import type { TestTown } from './town.ts';

/** Of the rig shop. */
export function putPolecat(town: TestTown, name: string): void {
  const record = {
    rig: 'shop',
    name,
    uuid: 'u',
    bead: null,
    command: ['sleep', '1'],
    at: 1_000,
    step: 'running',
    base: 'a'.repeat(40),
    main: null,
    tip: null,
  } as const;
  town.write(polecatPlace(record), POLECATS.text(record));
}
