/**
 * Triage requests as beads, with Gas Town's keys in their metadata: `triage_type`, `agent_bead_id`, `context`, `options`, and the bead
 * that was on the agent's hook. One is open for an agent and a type: its id comes of both and of the one before it, so that two
 * who ask at once ask for the same. A request counts only where the store says that the town or the operator made it, and a choice only
 * where a door wrote it (`official`): what metadata says beside that is for readers.
 */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import {
  CHOICES,
  OPTIONS,
  TRIAGE_TYPES,
  type Resolution,
  type TriageCase,
  type TriageType,
} from '../../machines/triage/cases.ts';
import { close } from '../../machines/ledger/changes.ts';
import type { Plan } from '../../machines/triage/plan.ts';
import type { TriagePolicy } from '../../machines/triage/policy.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { changeBead, createBead } from '../ledger/change.ts';
import { newWrite, PREFIX } from '../ledger/ids.ts';
import { heldBy } from '../ledger/hook.ts';
import { beadsIn, first, items } from '../ledger/walk.ts';
import { age, order } from '../ports/age.ts';

/** The type of a case. */
export const REQUEST = 'triage_request';
/** By which people and other programs find them. */
const LABEL = 'gt:triage';
/** A case of the town's that a reasoner may decide; without this label a person does. */
const REASONERS = 'triage:reasoner';
const TOLD = 'told:person';
const UNDECIDED = ['open', 'in_progress', 'blocked', 'deferred', 'pinned', 'hooked'] as const;

export interface Asked {
  readonly type: TriageType;
  /** Written like an assignee; empty = none. */
  readonly agent: string;
  readonly rig: string;
  /** What was seen. */
  readonly why: string;
  /** The end of the agent's screen, or its files, asked for where the case is new; empty = there is nothing to see. */
  readonly shows?: () => Promise<string>;
  /** The bead that it is about; absent = the bead on the agent's hook. */
  readonly bead?: string;
  /** Who asks. */
  readonly by: string;
  readonly now: number;
  readonly policy: Pick<TriagePolicy, 'maxOpen' | 'againAfterMs' | 'mayorsMs'>;
  /** When this agent began (wall ms): what was decided about an earlier one of its name says nothing of it (law 3). Absent = unknown. */
  readonly bornAt?: number;
}

export interface Request {
  readonly id: string;
  /** False: it is open already, or was decided just now. */
  readonly isNew: boolean;
}

const labelsOf = ({ type, agent }: Pick<Asked, 'type' | 'agent'>): string[] => [
  LABEL,
  `triage:${type}`,
  `agent:${agent}`.slice(0, LEDGER.maxWord),
];

/** Asks for a decision, once: the result says if the same request is open already. */
export async function requestTriage(ledger: Ledger, asked: Asked): Promise<Request> {
  const labels = labelsOf(asked);
  const newest = async (statuses: readonly Bead['status'][]): Promise<Bead | undefined> => {
    for await (const bead of beadsIn(ledger, { labels, statuses, type: REQUEST })) if (isVouched(bead)) return bead;
    return undefined;
  };
  const undecided = await newest(UNDECIDED);
  const isVoid = undecided !== undefined && isOfEarlier(undecided, asked);
  if (isVoid) await closeCase(ledger, undecided.id, `another ${asked.agent} has its name by now`, asked.now);
  const open = isVoid ? undefined : undecided;
  // Each letter has words of its own, and is put away once the case holds them.
  const isLetters = asked.type === 'help_request';
  if (open !== undefined) {
    if (isLetters) await changeBead(ledger, open.id, (bead) => withWords(bead, asked));
    return { id: open.id, isNew: false };
  }
  const before = await lastInChain(ledger, labels, undecided ?? (await newest(['closed'])));
  // Its earlier recipient decides, as long as that stands.
  if (before !== undefined && (await isWithSomebody(ledger, before, asked))) return { id: before.id, isNew: false };
  // What was decided has to come about first.
  const isSame =
    before !== undefined && !isOfEarlier(before, asked) && (!isLetters || before.description.includes(asked.why));
  if (isSame && age(Date.parse(before.closedAt), asked.now) < asked.policy.againAfterMs)
    return { id: before.id, isNew: false };
  const id = idAfter(before, labels);
  const request = await requestBead(ledger, id, asked, !(await wasEscalated(ledger, before, asked)));
  const made = { by: asked.by, via: 'town', life: null, at: request.createdAt } as const;
  const official = { made, resolution: null };
  const put = await ledger.put(request, { expects: 0, write: newWrite(), official });
  if (put.is === 'done' || (put.bead !== null && isRequestOf(put.bead, labels)))
    return { id, isNew: put.is === 'done' };
  // Another bead has that id: it silences no request.
  const { id: _, ...fields } = request;
  const other = await createBead(ledger, fields, { prefix: `${PREFIX}-triage`, kind: '', official });
  return { id: other.id, isNew: true };
}
const ID_SIGNS = 10;
const idAfter = (before: Bead | undefined, labels: readonly string[]): string =>
  `${PREFIX}-triage-${fingerprint([...labels, before?.id ?? ''].join('\n')).slice(0, ID_SIGNS)}`;

/** The id of a case follows from the one before it: so the last case is known, also after the clock was set. */
async function lastInChain(
  ledger: Ledger,
  labels: readonly string[],
  newest: Bead | undefined,
): Promise<Bead | undefined> {
  const seen = new Set<string>();
  for (let last = newest; ; seen.add(last.id)) {
    const [next] = await ledger.beads([idAfter(last, labels)]);
    const follows = next?.status === 'closed' && isRequestOf(next, labels) && !seen.has(next.id);
    if (!follows) return last;
    last = next;
  }
}
const SCREEN = 'The end of its screen:';

const VOUCHES: ReadonlySet<string | undefined> = new Set(['town', 'operator']);
const isVouched = ({ official: { made } }: Bead): boolean => VOUCHES.has(made?.via);
const isRequestOf = (bead: Bead, labels: readonly string[]): boolean =>
  bead.type === REQUEST && isVouched(bead) && labels.every((label) => bead.labels.includes(label));

/** It is about an earlier agent of the name. */
const isOfEarlier = ({ createdAt }: Bead, { bornAt }: Asked): boolean =>
  order(Date.parse(createdAt)) < order(bornAt ?? 0);

/** It is over: what came of it stands on it. */
export const closeCase = (ledger: Ledger, id: string, outcome: string, now: number): Promise<Bead | null> =>
  changeBead(ledger, id, (one) =>
    one.status === 'closed'
      ? one
      : { ...close(one, outcome, new Date(now).toISOString()), metadata: { ...one.metadata, outcome } },
  );

/**
 * The last case of the kind was passed on: to a person, whose escalation is open, or to the mayor, a while ago. Letters
 * have words of their own.
 */
async function isWithSomebody(ledger: Ledger, before: Bead, asked: Asked): Promise<boolean> {
  const { type, now, policy } = asked;
  if (type === 'help_request' || isOfEarlier(before, asked)) return false;
  const [told] = await ledger.beads([escalatedOf(before.id)]);
  if (told !== undefined) return told.status !== 'closed';
  const choice = caseOf(before)?.resolution?.choice;
  return choice === 'ESCALATE_TO_MAYOR' && age(Date.parse(before.closedAt), now) < policy.mayorsMs;
}

/** The last case about this agent was a person's by choice: a reasoner is not asked again. */
async function wasEscalated(ledger: Ledger, before: Bead | undefined, asked: Asked): Promise<boolean> {
  if (before === undefined || isOfEarlier(before, asked)) return false;
  return before.official.left === 'escalated' || (await ledger.beads([escalatedOf(before.id)])).length > 0;
}

/** The escalation by which a case was put before a person. */
export const escalatedOf = (id: string): string => `${id}-escalated`;
/** The escalation that asks a person to decide a case, or to decide it anew. */
export const decisionOf = (id: string, about: 'undecided' | 'refused'): string => `${id}-${about}`;
/** Ids of all escalations that speak of a case. */
export const escalationsOf = (id: string): readonly string[] => [
  escalatedOf(id),
  decisionOf(id, 'undecided'),
  decisionOf(id, 'refused'),
];

function withWords(bead: Bead, { why, now }: Asked): Bead {
  if (bead.description.includes(why)) return bead;
  const description = `${bead.description}\n\n${why}`.slice(0, LEDGER.maxText);
  return { ...bead, description, updatedAt: new Date(now).toISOString() };
}

async function requestBead(ledger: Ledger, id: string, asked: Asked, maybeReasoners: boolean): Promise<Bead> {
  const { type, agent, rig, why, by, now, policy } = asked;
  // A queue is no piece of work.
  const hook = asked.bead ?? (type === 'queue_health' || agent === '' ? null : await firstHeld(ledger, agent));
  const isReasoners = maybeReasoners && (type === 'escalation' || !(await hasMany(ledger, rig, policy.maxOpen)));
  const at = new Date(now).toISOString();
  const shown = (await asked.shows?.()) ?? '';
  const heading = type === 'stuck_agent' ? `${SCREEN}\n` : '';
  const description = shown === '' ? why : `${why}\n${heading}${shown}`;
  return newBead({
    id,
    title: `${type}: ${agent === '' ? (hook ?? 'no agent') : agent}`.slice(0, LEDGER.maxTitle),
    description: description.slice(0, LEDGER.maxText),
    type: REQUEST,
    priority: 1,
    rig,
    createdBy: by,
    createdAt: at,
    labels: [...labelsOf(asked), ...(isReasoners ? [REASONERS] : [])],
    metadata: { triage_type: type, agent_bead_id: agent, ...(hook !== null && { snapshot_hook_bead_id: hook }) },
    extra: { metadata: { context: { summary: why }, options: OPTIONS[type] } },
  });
}

/** Whether a reasoner has so many cases of the rig before it. What a person decides is not read. */
async function hasMany(ledger: Ledger, rig: string, most: number): Promise<boolean> {
  let count = 0;
  for await (const bead of beadsIn(ledger, { type: REQUEST, statuses: UNDECIDED, rig, labels: [REASONERS] }))
    if (caseOf(bead)?.type !== 'escalation' && ++count >= most) return true;
  return count >= most;
}

const firstHeld = async (ledger: Ledger, agent: string): Promise<string | null> =>
  (await heldBy(ledger, agent))[0]?.id ?? null;

/** Open and resolved ones, the oldest first. */
export async function undecidedCases(ledger: Ledger): Promise<TriageCase[]> {
  const beads = await Array.fromAsync(beadsIn(ledger, { type: REQUEST, statuses: UNDECIDED, order: 'oldest' }));
  return beads.flatMap((bead) => caseOf(bead) ?? []);
}

/** The newest that are over. */
export async function decidedCases(ledger: Ledger, count: number): Promise<TriageCase[]> {
  const closed = items((page) => ledger.list({ type: REQUEST, statuses: ['closed'] }, page), count);
  return (await first(closed, count)).flatMap((bead) => caseOf(bead) ?? []);
}

/** null = the bead is no triage request. What a writer put there beyond what its type offers is no option. */
export function caseOf(bead: Bead): TriageCase | null {
  const { id, metadata, labels, status, extra, rig, createdAt, description, official } = bead;
  const type = TRIAGE_TYPES.find((one) => one === metadata['triage_type']);
  if (bead.type !== REQUEST || type === undefined) return null;
  const more = extra['metadata'];
  const given: unknown = typeof more === 'object' && more !== null && 'options' in more ? more.options : null;
  const offered = OPTIONS[type].filter((one) => !Array.isArray(given) || given.includes(one));
  const resolution = resolutionIn(official);
  const word = (key: string): string => metadata[key] ?? '';
  return {
    id,
    type,
    agent: word('agent_bead_id'),
    rig,
    createdAt,
    context: description,
    options: offered.length === 0 ? OPTIONS[type] : offered,
    state: status === 'closed' ? 'closed' : resolution === null ? 'open' : 'resolved',
    snapshot: metadata['snapshot_hook_bead_id'] ?? null,
    tries: Number(metadata['tries'] ?? 0) || 0,
    isPersons:
      official.left !== undefined ||
      labels.includes(TOLD) ||
      !(labels.includes(REASONERS) || official.made?.via === 'operator'),
    wasTold: labels.includes(TOLD),
    resolution,
    plan: (official.plan as Plan | undefined) ?? null,
    outcome: word('outcome'),
    unproven: unprovenIn(bead, resolution !== null),
  };
}

function resolutionIn({ resolution }: Bead['official']): Resolution | null {
  const choice = CHOICES.find((one) => one === resolution?.choice);
  return resolution === null || choice === undefined ? null : { ...resolution, choice };
}

/** What stands on the bead that no door wrote, in words for a person; null = nothing. */
function unprovenIn(bead: Bead, isResolved: boolean): string | null {
  const { metadata, status } = bead;
  if (status === 'closed' || isResolved) return null;
  const claim = metadata['resolution'];
  const said = [
    ...(isVouched(bead) ? [] : ['it is not on record that the town or the operator asked for this decision']),
    ...(claim === undefined
      ? []
      : [
          `its metadata says ${JSON.stringify(claim)} by ${JSON.stringify(metadata['resolved_by'] ?? '')}, which decides nothing`,
        ]),
  ];
  return said.length === 0 ? null : said.join('; ');
}

/** A case was shown to a reasoner once more. */
export const countTry = (ledger: Ledger, id: string, at: string): Promise<unknown> =>
  changeBead(ledger, id, (bead) => ({
    ...bead,
    metadata: { ...bead.metadata, tries: String((Number(bead.metadata['tries'] ?? 0) || 0) + 1) },
    updatedAt: at,
  }));

/** From now on a person decides, who was told. */
export const markTold = (ledger: Ledger, id: string, at: string): Promise<unknown> =>
  changeBead(ledger, id, (bead) => ({ ...bead, labels: toldLabels(bead), updatedAt: at }));

/** Of a case that is a person's, who was told. */
export const toldLabels = ({ labels }: Pick<Bead, 'labels'>): readonly string[] => [
  ...labels.filter((label) => label !== REASONERS && label !== TOLD),
  TOLD,
];
