/** Beads for tests. */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';

export const AT = '2026-11-22T19:26:18Z';
export const bead = (id: string, more: Partial<Bead> = {}): Bead =>
  newBead({ id, title: `about ${id}`, createdBy: 'mayor', createdAt: AT, ...more });
