/** Requests of triage, and choices, for tests over a ledger in memory. */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import type { Asked } from '../../src/triage/requests.ts';
import type { Chosen } from '../../src/triage/resolve.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const MINUTE = 60_000;
export const asked = (more: Partial<Asked> = {}): Asked => ({
  type: 'stuck_agent',
  agent: 'shop/polecats/nux',
  rig: 'shop',
  why: 'no progress',
  by: 'shop/witness',
  now: NOW,
  policy: TRIAGE,
  ...more,
});
export const chosen = (choice: string, more: Partial<Chosen> = {}): Chosen => ({
  choice,
  note: '',
  by: 'triage',
  now: NOW,
  among: null,
  ...more,
});
export const hooked = (id: string): Bead =>
  newBead({
    id,
    title: 'mend it',
    createdBy: 'overseer',
    createdAt: '2026-01-01T00:00:00Z',
    status: 'hooked',
    assignee: 'shop/polecats/nux',
    rig: 'shop',
  });
