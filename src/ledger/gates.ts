/**
 * Gates: beads that others wait for, until a time, a person or a thing outside. Their fields are those of `bd`:
 * `await_type`, `await_id`, and `timeout` in nanoseconds. A timer counts from its creation, despite later changes. When
 * it is over it is escalated once and stays shut, since a person decides; so is any other gate that has a time. What a
 * plugin opens is in plugins/gates.ts.
 */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { escalation } from './escalations.ts';
import { age } from '../ports/age.ts';

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
    bead,
    timeoutMs,
    awaits: typeof awaits === 'string' ? awaits : '',
    dueAt: timeoutMs === null ? null : Date.parse(bead.createdAt) + timeoutMs,
  };
}

/** Its time is over, for every kind of gate. */
export const isDue = ({ bead, timeoutMs }: Gate, now: number): boolean =>
  timeoutMs !== null && age(Date.parse(bead.createdAt), now) > timeoutMs;

/** What a gate is kept as. */
export const gateFields = (awaits: string, timeoutMs: number | null, awaitId: string | undefined): Bead['extra'] => ({
  await_type: awaits,
  ...(awaitId !== undefined && { await_id: awaitId }),
  ...(timeoutMs !== null && { timeout: timeoutMs * NS_PER_MS }),
});

/** Why a person has to look at it. */
export interface GateTrouble {
  readonly title: string;
  readonly reason: string;
}

export const overdue = ({ id, title }: Pick<Bead, 'id' | 'title'>): GateTrouble => ({
  title: `the time of gate ${id} is over: ${title}`,
  reason: `it was to be open by now; decide, then \`town bead gate close ${id}\``,
});

/** The escalation of a gate: there is one. */
export const escalationOf = (gate: string): string => `${gate}-overdue`;

/** The escalation of a gate that does not open by itself; null = it was escalated before. */
export async function escalateGate(
  ledger: Ledger,
  gate: string,
  trouble: GateTrouble,
  { by, at, doing }: { readonly by: string; readonly at: string; readonly doing?: (what: string) => Promise<void> },
): Promise<Bead | null> {
  const given = escalation({ ...trouble, severity: 'high', by, at, related: gate, endsWithIt: true });
  const id = escalationOf(gate);
  const [known] = await ledger.beads([id]);
  if (known !== undefined) return null;
  await doing?.(`escalate ${gate}`);
  const put = await ledger.put(newBead({ ...given, id }), { expects: 0, write: `overdue-${gate}` });
  return put.is === 'done' ? put.bead : null;
}
