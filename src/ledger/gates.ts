/**
 * Gates: beads that others wait for, until a time, a person or a thing outside. Their fields are those of `bd`:
 * `await_type`, `await_id`, and `timeout` in nanoseconds. A timer counts from its creation, despite later changes. When
 * it is over it is escalated once and stays shut, since a person decides; so is any other gate that has a time. What a
 * plugin opens is in plugins/gates.ts.
 */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import type { PersonsGate } from '../../machines/protocol/patrols.ts';
import { gateMs, gateTime } from '../../state/ledger/schema.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { times } from '../../machines/kernel/span.ts';
import { fewAndRest } from '../../machines/patrols/few.ts';
import { MAX_ALIKE } from '../../machines/patrols/policy.ts';
import { escalation } from './escalations.ts';
import { countOpen, endRaised, raise, type Cause } from './raise.ts';
import { beadsCalled, beadsIn } from './walk.ts';
import { age } from '../ports/age.ts';

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
  const { await_type: awaits } = bead.extra;
  const timeoutMs = gateMs(bead);
  const dueAt = timeoutMs === null ? NaN : new Date(Date.parse(bead.createdAt) + timeoutMs).getTime();
  return {
    bead,
    timeoutMs,
    awaits: typeof awaits === 'string' ? awaits : '',
    dueAt: Number.isNaN(dueAt) ? null : dueAt,
  };
}

/** Only a person opens it. */
export const isPersons = (gate: Bead): boolean => gateOf(gate).awaits === 'human';

/** What a person is told of it. */
export const waitsText = ({ title }: Pick<Bead, 'title'>): string => `work waits for you: ${title}`;

/** Those that a person alone opens and that no patrol escalates, since they have no time. */
export async function personsGates(ledger: Ledger): Promise<PersonsGate[]> {
  const shut = await Array.fromAsync(beadsIn(ledger, { type: 'gate' }));
  return shut
    .filter((bead) => isPersons(bead) && gateOf(bead).timeoutMs === null)
    .map((bead) => ({ id: bead.id, text: waitsText(bead) }));
}

/** Its time is over, for every kind of gate. */
export const isDue = ({ bead, timeoutMs }: Gate, now: number): boolean =>
  timeoutMs !== null && age(Date.parse(bead.createdAt), now) > timeoutMs;

/** What a gate is kept as. */
export const gateFields = (awaits: string, timeoutMs: number | null, awaitId: string | undefined): Bead['extra'] => ({
  await_type: awaits,
  ...(awaitId !== undefined && { await_id: awaitId }),
  ...(timeoutMs !== null && gateTime(timeoutMs)),
});

/** Why a person has to look at it. */
export interface GateTrouble {
  readonly title: string;
  readonly reason: string;
}

export const overdue = ({ id, title }: Pick<Bead, 'id' | 'title'>): GateTrouble => ({
  title: `the time of gate ${id} is over: ${title}`,
  reason: `it was to be open by now; decide, then \`town bead close ${id}\``,
});

/** The escalation of a gate: there is one. */
export const escalationOf = (gate: string): string => `${gate}-overdue`;

/** All escalations of gates have this. */
const KIND = 'about:gates';
/** What counts the gates that no escalation names. */
const REST: Cause = { label: `${KIND}/+`, author: 'escalations/gates' };

/** How many gates may get an escalation of their own now: a person reads a few by name, and a count of the others. */
export async function roomForGates(ledger: Ledger): Promise<number> {
  const isCounted = (await countOpen(ledger, REST.label)) > 0;
  return isCounted ? 0 : MAX_ALIKE - (await countOpen(ledger, KIND));
}

interface Escalating {
  readonly by: string;
  readonly at: string;
  readonly doing?: (what: string) => Promise<void>;
}

/** The escalation of a gate that does not open by itself; null = it was escalated before. */
export async function escalateGate(
  ledger: Ledger,
  gate: string,
  trouble: GateTrouble,
  { by, at, doing }: Escalating,
): Promise<Bead | null> {
  const given = escalation({ ...trouble, severity: 'high', by, at, related: gate, endsWithIt: true, label: KIND });
  const id = escalationOf(gate);
  const [known] = await ledger.beads([id]);
  if (known !== undefined) return null;
  await doing?.(`escalate ${gate}`);
  const put = await ledger.put(newBead({ ...given, id }), { expects: 0, write: `overdue-${gate}` });
  return put.is === 'done' ? put.bead : null;
}

export interface GateInTrouble {
  readonly gate: string;
  readonly trouble: GateTrouble;
}

/** A few by name, and the others in one escalation with their count, which is over when they are few. What it raised, by gate. */
export async function escalateGates(
  ledger: Ledger,
  all: readonly GateInTrouble[],
  { by, at, doing }: Escalating,
): Promise<{ readonly about: string; readonly title: string }[]> {
  const known = new Set(
    (
      await beadsCalled(
        ledger,
        all.map(({ gate }) => escalationOf(gate)),
      )
    ).map(({ id }) => id),
  );
  const fresh = all.filter(({ gate }) => !known.has(escalationOf(gate)));
  const isCounted = (await countOpen(ledger, REST.label)) > 0;
  if (fresh.length === 0 && !isCounted) return [];
  const named = await countOpen(ledger, KIND);
  const { alone, rest } = fewAndRest({ named, fresh, isCounted });
  const [first] = rest;
  if (first === undefined && isCounted) await endRaised(ledger, REST.label, 'few are left', Date.parse(at));
  const raised: { about: string; title: string }[] = [];
  for (const { gate, trouble } of alone) {
    const made = await escalateGate(ledger, gate, trouble, { by, at, ...(doing && { doing }) });
    if (made !== null) raised.push({ about: gate, title: made.title });
  }
  if (first === undefined) return raised;
  const text = `${times(rest.length, 'more gate')}: ${first.trouble.title}`;
  const body = `${text}\n\nAll of them: \`town bead gate check\`; ${first.trouble.reason}`;
  const words = { severity: 'high', text, body, count: rest.length } as const;
  const { is, bead } = await raise(ledger, REST, words, { by, rig: '', now: Date.parse(at) });
  return is === 'known' ? raised : [...raised, { about: bead.id, title: text }];
}
