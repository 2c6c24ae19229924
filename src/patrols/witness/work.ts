/** What the ledger says of work, as a patrol sees it: beads of a rig, its cleanups and swarms, and convoys. */
import { HELD_STATUSES, trackedBy, type Bead } from '../../../machines/ledger/bead.ts';
import { holderOf } from '../../../machines/ledger/changes.ts';
import type { AttemptSeen, ConvoySeen, WorkSeen } from '../../../machines/patrols/observation.ts';
import { sessionOf } from '../../../machines/rigs/names.ts';
import type { GateSeen, WispSeen } from '../../../machines/witness/observation.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { escalationOf, gateOf, isDue, roomForGates } from '../../ledger/gates.ts';
import { LAST_ATTEMPT, REST_UNTIL } from '../../ledger/attempts.ts';
import { beadsCalled, beadsIn, eachCalled, evidenceOf, ready } from '../../ledger/walk.ts';
import { waitsForPlugin } from '../../plugins/gates.ts';
import { EVIDENCE } from '../memory/evidence.ts';
import { PATROL_HANDS } from '../policy.ts';
import { age } from '../../ports/age.ts';

/** Labels by which people and patrols know them; those of wisps are Gas Town's. */
const STAGED = 'staged';
const TOLD = 'told:recovery';

const sinceMs = (text: string | undefined, now: number): number | null => {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : age(at, now);
};

/** The rest that was set when its last attempt ended; a step of the clock does not change it. */
function isResting(metadata: Bead['metadata'], now: number): boolean {
  const until = Date.parse(metadata[REST_UNTIL] ?? '');
  const from = Date.parse(metadata[LAST_ATTEMPT] ?? '');
  return Number.isNaN(from) ? until > now : age(from, now) < until - from;
}

/** What it waits for does not matter once an agent holds it. */
function workSeen(bead: Bead, now: number): WorkSeen {
  const { id, title, status, assignee, priority, labels, attempts, metadata, updatedAt } = bead;
  const { made, consent } = bead.official;
  return {
    id,
    title,
    status,
    assignee: assignee === '' ? null : assignee,
    priority,
    attempts,
    ageMs: sinceMs(bead.createdAt, now) ?? 0,
    restedMs: sinceMs(updatedAt, now) ?? 0,
    isStaged: labels.includes(STAGED) || isResting(metadata, now),
    lastAttemptMs: sinceMs(metadata[LAST_ATTEMPT], now),
    ...((consent === 'asked' || consent === 'budget') && {
      ofAgent: { by: made?.by ?? '', isAsked: consent === 'asked' },
    }),
  };
}

/** Attempts of a rig since its last success, the youngest first. One that was refused until a person does something is none. */
export async function attemptsOf(ledger: Ledger, author: string, now: number): Promise<AttemptSeen[]> {
  const found: (Pick<AttemptSeen, 'bead'> & { readonly at: number })[] = [];
  const refused = new Set<string>();
  for await (const { kind, text: bead, at } of evidenceOf(ledger, author)) {
    if (kind === EVIDENCE.success || age(at, now) > PATROL_HANDS.attemptsMs) break;
    if (kind === EVIDENCE.attempt) found.push({ bead, at });
    if (kind === EVIDENCE.refused) refused.add(`${bead} ${at}`);
  }
  return found
    .filter(({ bead, at }) => !refused.has(`${bead} ${at}`))
    .map(({ bead, at }) => ({ bead, agoMs: age(at, now) }));
}

/** Held work, and work that can begin. Waiting work needs no look yet. */
export async function workOf(ledger: Ledger, rig: string, now: number): Promise<WorkSeen[]> {
  const seen = (bead: Bead): WorkSeen => workSeen(bead, now);
  const held: WorkSeen[] = [];
  for await (const bead of beadsIn(ledger, { rig, statuses: HELD_STATUSES, isWisp: false }))
    if (holderOf(bead) !== null) held.push(seen(bead));
  const free = await Array.fromAsync(ready(ledger, { rig, order: 'oldest' }), seen);
  return [...held, ...free];
}

const valueOf = (labels: readonly string[], name: string): string | null =>
  labels.find((label) => label.startsWith(`${name}:`))?.slice(name.length + 1) ?? null;

const stateOf = (text: string | null): WispSeen['state'] =>
  text === 'pending' || text === 'merge-requested' ? text : null;

/** Another writer's text there may be no number. */
const countIn = (text: string | null): number => (/^\d+$/.test(text ?? '') ? Number(text) : 0);

/** Open cleanups and swarms of a rig. */
export async function wispsOf(
  ledger: Ledger,
  rig: string,
  now: number,
  lifeOf: LifeOf = unknownLife,
): Promise<WispSeen[]> {
  const found: WispSeen[] = [];
  for (const kind of ['cleanup', 'swarm'] as const)
    for await (const bead of beadsIn(ledger, { rig, labels: [kind] }))
      found.push({ ...(await wispSeen(ledger, bead, kind, now)), ...(await wishSeen(bead, lifeOf)) });
  return found;
}

/** The life that a session has, or had last; null = unknown. */
type LifeOf = (session: string) => Promise<string | null>;
const unknownLife: LifeOf = () => Promise.resolve(null);

/** A wish is that of the life that wished it: a later life of the same polecat ends by no word of an earlier one (law 3). */
async function wishSeen(
  { labels, rig, official: { wish } }: Bead,
  lifeOf: LifeOf,
): Promise<Pick<WispSeen, 'isVoluntary' | 'wishLife'>> {
  if (wish === undefined) return { isVoluntary: false, wishLife: null };
  const name = valueOf(labels, 'polecat');
  const life = wish.life === null || name === null ? null : await lifeOf(sessionOf({ rig, name }));
  return { isVoluntary: life === null || life === wish.life, wishLife: wish.via === 'agent' ? wish.life : null };
}

async function wispSeen(
  ledger: Ledger,
  bead: Bead,
  kind: WispSeen['kind'],
  now: number,
): Promise<Omit<WispSeen, 'isVoluntary' | 'wishLife'>> {
  const { id, labels } = bead;
  const swarm = kind === 'swarm' ? valueOf(labels, 'swarm_id') : null;
  const tracked = [
    ...trackedBy(bead),
    ...labels.flatMap((label) => (label.startsWith('tracks:') ? [label.slice(7)] : [])),
  ];
  const closed = swarm === null ? [] : await closedAmong(ledger, tracked);
  return {
    id,
    kind,
    polecat: valueOf(labels, 'polecat'),
    state: stateOf(valueOf(labels, 'state')),
    ageMs: sinceMs(bead.createdAt, now) ?? 0,
    wasTold: labels.includes(TOLD),
    swarm:
      swarm === null
        ? null
        : { id: swarm, total: Math.max(tracked.length, countIn(valueOf(labels, 'total'))), closed: closed.length },
  };
}

const closedAmong = async (ledger: Ledger, ids: readonly string[]): Promise<string[]> =>
  (await Array.fromAsync(eachCalled(ledger, ids), ({ id, status }) => (status === 'closed' ? [id] : []))).flat();

/**
 * Gates of a rig whose time is over, and no person was alerted; a few, since the Deacon counts the others. Those that wait for a plugin
 * are the Deacon's too, who may open them.
 */
export async function overdueGates(ledger: Ledger, rig: string, now: number): Promise<GateSeen[]> {
  const due: GateSeen[] = [];
  for await (const bead of beadsIn(ledger, { type: 'gate', rig })) {
    const gate = gateOf(bead);
    if (isDue(gate, now) && !waitsForPlugin(gate.awaits)) due.push({ id: bead.id, title: bead.title });
  }
  const escalations = due.map(({ id }) => escalationOf(id));
  const told = new Set((await beadsCalled(ledger, escalations)).map(({ id }) => id));
  const fresh = due.filter(({ id }) => !told.has(escalationOf(id)));
  return fresh.length === 0 ? [] : fresh.slice(0, await roomForGates(ledger));
}

/** Open convoys, with what they track. */
export const convoysIn = (ledger: Ledger): Promise<ConvoySeen[]> =>
  Array.fromAsync(beadsIn(ledger, { type: 'convoy' }), async (bead) => {
    // One that is not in the ledger is not closed.
    const tracked = trackedBy(bead);
    const closed = new Set(await closedAmong(ledger, tracked));
    const { id, title } = bead;
    return { id, title, tracked: tracked.map((one) => ({ id: one, isClosed: closed.has(one) })) };
  });
