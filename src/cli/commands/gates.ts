/** `town bead gate create|list|check|close`: what work waits for, beside other work. */
import { isDue, escalateGate, gateFields, gateOf, overdue, roomForGates, type Gate } from '../../ledger/gates.ts';
import { waitsForPlugin, whyNeverOpen } from '../../plugins/gates.ts';
import { createBefore } from '../../ledger/change.ts';
import { PREFIX } from '../../ledger/ids.ts';
import { firstOf } from '../../ledger/walk.ts';
import { withDependency } from '../../../machines/ledger/changes.ts';
import { BEAD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { parseDuration } from '../../config/duration.ts';
import { when } from '../../journal/when.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { listing } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { given } from '../naming/given.ts';
import { actorOf, beadCalled, now, withLedger } from '../asking/ledger.ts';
import { mustBeRig } from '../asking/yard.ts';
import { quoteName } from '../naming/names.ts';
import { beadView, dependencyOf } from './beads.ts';

export interface GateOptions {
  readonly type: string;
  readonly timeout?: string;
  readonly awaitId?: string;
  readonly blocks: readonly string[];
  readonly rig?: string;
}

/** Throws Failure (2). */
function timeoutOf({ type, timeout }: GateOptions): number | null {
  const ms = timeout === undefined ? null : parseDuration(timeout);
  if (ms !== null && ms > 0 && ms <= LEDGER.maxGateMs) return ms;
  if (timeout === undefined && type !== 'timer') return null;
  const text =
    timeout === undefined ? 'a timer needs' : `--timeout ${quoteName(timeout)} is no time up to a century; write`;
  throw new Failure(EXIT.usage, 'bad_timeout', `${text} --timeout 30m (s, m, h or d)`);
}

/** What it waits for; where that is a plugin, there is one. Throws Failure (2). */
async function pluginOf(context: Context, type: string, awaitId: string | undefined): Promise<string | undefined> {
  if (!waitsForPlugin(type)) return awaitId;
  const place = { disk: await context.disk(), root: context.existing() };
  const why = await whyNeverOpen(place, type, awaitId ?? '');
  if (why === null) return awaitId;
  throw new Failure(EXIT.usage, 'bad_gate', `${why}; name one with --await-id (\`town plugin list\`)`);
}

export async function createGate(context: Context, title: string, options: GateOptions): Promise<void> {
  const by = await actorOf(context, undefined);
  const at = now();
  const { type, awaitId, rig } = options;
  await mustBeRig(context, rig);
  const extra = gateFields(type, timeoutOf(options), await pluginOf(context, type, awaitId));
  const gate = await withLedger(context, async (ledger) => {
    const waiting = await Promise.all(options.blocks.map((word) => beadCalled(ledger, word)));
    const fields = { title, type: 'gate', createdBy: by, createdAt: at, extra, ...given({ rig }) };
    const link = (one: Bead, on: string): Bead => withDependency(one, dependencyOf(on, by, at), at);
    return createBefore(ledger, fields, { waiting: [...new Set(waiting.map(({ id }) => id))], prefix: PREFIX, link });
  });
  context.answer('gate', beadView(gate), `${gate.id} is shut`);
}

async function gatesIn(ledger: Ledger, all: boolean): Promise<Gate[]> {
  const query = { type: 'gate', ...(all && { statuses: BEAD_STATUSES }) };
  const beads = await firstOf((page) => ledger.list(query, page), LEDGER.maxSteps);
  return beads.map(gateOf);
}

const viewOf = (gate: Gate): object => ({
  ...beadView(gate.bead),
  due_at: gate.dueAt === null ? null : new Date(gate.dueAt).toISOString(),
  is_due: isDue(gate, Date.now()),
});

export async function listGates(context: Context, { all = false }: { all?: boolean }): Promise<void> {
  const gates = await withLedger(context, (ledger) => gatesIn(ledger, all));
  const row = ({ bead, awaits, dueAt }: Gate): string[] => [
    bead.id,
    bead.status,
    awaits === '' ? '-' : awaits,
    dueAt === null ? '-' : when(dueAt),
    bead.title,
  ];
  const columns = ['ID', { head: 'STATUS', drop: 1 }, { head: 'AWAITS', drop: 2 }, 'DUE', 'TITLE'];
  context.answer('gates', gates.map(viewOf), listing(gates, 'no gates', columns, row));
}

export interface CheckOptions {
  readonly type?: string;
  readonly escalate?: boolean;
}

export interface GateCheck {
  readonly checked: number;
  /** Ids of gates whose time is over. */
  readonly due: readonly string[];
  /** Ids of escalations that were made now. */
  readonly escalated: readonly string[];
}

/** Looks at every open gate of the kind; none is closed by it. */
export async function checkIn(ledger: Ledger, by: string, { type, escalate }: CheckOptions): Promise<GateCheck> {
  const open = (await gatesIn(ledger, false)).filter(({ awaits }) => type === undefined || awaits === type);
  const due = open.filter((gate) => isDue(gate, Date.now()));
  const escalated: string[] = [];
  // The Deacon's patrol counts the others.
  const room = escalate === true ? await roomForGates(ledger) : 0;
  for (const gate of escalate === true ? due : []) {
    if (escalated.length >= room) break;
    const made = await escalateGate(ledger, gate.bead.id, overdue(gate.bead), { by, at: now() });
    if (made !== null) escalated.push(made.id);
  }
  return { checked: open.length, due: due.map(({ bead }) => bead.id), escalated };
}

export async function checkGates(context: Context, options: CheckOptions): Promise<void> {
  const by = await actorOf(context, undefined);
  // The gates fix what it escalates, for every caller.
  const check = await withLedger(context, (_, ledger) => checkIn(ledger, by, options));
  const { checked, due, escalated } = check;
  context.answer('gate-check', check, () => {
    const over = due.length === 0 ? 'the time of none is over' : `the time of ${due.join(', ')} is over`;
    const news = escalated.length === 0 ? '' : `; escalated: ${escalated.join(', ')}`;
    return `${checked} open gates: ${over}${news}`;
  });
}
