/**
 * Gates: beads that others wait for, until a time, a person or a thing outside. Their fields are those of `bd`: `await_type`,
 * `await_id`, and `timeout` in nanoseconds. A timer counts from its creation, whatever was changed since; when it is over it is
 * escalated once and stays open, since a person decides.
 */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { escalation } from './escalations.ts';

const NS_PER_MS = 1e6;

export interface Gate {
  readonly bead: Bead;
  /** `timer`, `human`, `condition` …; empty = it does not say. */
  readonly awaits: string;
  /** null = it has none. */
  readonly timeoutMs: number | null;
  /** Wall ms; null = never. */
  readonly dueAt: number | null;
}

export function gateOf(bead: Bead): Gate {
  const { await_type: awaits, timeout } = bead.extra;
  const timeoutMs = typeof timeout === 'number' && timeout > 0 ? timeout / NS_PER_MS : null;
  return {
    ...{ bead, timeoutMs, awaits: typeof awaits === 'string' ? awaits : '' },
    dueAt: timeoutMs === null ? null : Date.parse(bead.createdAt) + timeoutMs,
  };
}

export const isDue = ({ awaits, dueAt }: Gate, now: number): boolean =>
  awaits === 'timer' && dueAt !== null && now > dueAt;

/** What a gate is kept as. */
export const gateFields = (awaits: string, timeoutMs: number | null, awaitId: string | undefined): Bead['extra'] => ({
  await_type: awaits,
  ...(awaitId !== undefined && { await_id: awaitId }),
  ...(timeoutMs !== null && { timeout: timeoutMs * NS_PER_MS }),
});

/** The escalation of a gate whose time is over; null = it was escalated before. Its id comes of the gate's, so that there is one. */
export async function escalateGate(ledger: Ledger, { bead }: Gate, by: string, at: string): Promise<Bead | null> {
  const given = escalation({
    ...{ title: `the time of gate ${bead.id} is over: ${bead.title}`, severity: 'high' },
    ...{ reason: `it was to be open by now; decide, then \`town bead gate close ${bead.id}\`` },
    ...{ by, at, related: bead.id },
  });
  const id = `${bead.id}-overdue`;
  const [known] = await ledger.beads([id]);
  if (known !== undefined) return null;
  const put = await ledger.put(newBead({ ...given, id }), { expects: 0, write: `overdue-${bead.id}` });
  return put.is === 'done' ? put.bead : null;
}
