/**
 * Triage requests as beads, with Gas Town's keys in their metadata: `triage_type`, `agent_bead_id`, `context`, `options`, and the bead
 * that was on the agent's hook. One is open for an agent and a type: its id comes of both and of the one before it, so that two
 * who ask at once ask for the same.
 */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import {
  CHOICES,
  OPTIONS,
  TRIAGE_TYPES,
  type Choice,
  type TriageCase,
  type TriageType,
} from '../../machines/triage/cases.ts';
import type { TriagePolicy } from '../../machines/triage/policy.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { changeBead } from '../ledger/change.ts';
import { newWrite, PREFIX } from '../ledger/ids.ts';
import { beadsIn, first, items } from '../ledger/walk.ts';

const REQUEST = 'triage_request';
/** By which people and other programs find them. */
const LABEL = 'gt:triage';
const PERSONS = 'triage:person';
const TOLD = 'told:person';
const UNDECIDED = ['open', 'in_progress', 'blocked', 'deferred', 'pinned', 'hooked'] as const;

export interface Asked {
  readonly type: TriageType;
  /** As an assignee is written; empty = nobody. */
  readonly agent: string;
  readonly rig: string;
  /** What was seen. */
  readonly why: string;
  /** The bead that it is about; absent = whatever is on the agent's hook. */
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

/** Asks for a decision, once: whoever asks for what is open already is told so. */
export async function requestTriage(ledger: Ledger, asked: Asked): Promise<Request> {
  const labels = labelsOf(asked);
  const newest = async (statuses: readonly Bead['status'][]): Promise<Bead | undefined> =>
    (await ledger.list({ labels, statuses }, { limit: 1 })).items[0];
  const open = await newest(UNDECIDED);
  // Each letter has words of its own, and is put away once somebody has them.
  const isLetters = asked.type === 'help_request';
  if (open !== undefined) {
    if (isLetters) await changeBead(ledger, open.id, (bead) => withWords(bead, asked));
    return { id: open.id, isNew: false };
  }
  const before = await newest(['closed']);
  // Whoever was told has the word, as long as that stands.
  if (before !== undefined && (await isWithSomebody(ledger, before, asked))) return { id: before.id, isNew: false };
  // What was decided has to come about first.
  const isSame =
    before !== undefined &&
    Date.parse(before.createdAt) >= (asked.bornAt ?? 0) &&
    (!isLetters || before.description.includes(asked.why));
  if (isSame && asked.now - Date.parse(before.closedAt) < asked.policy.againAfterMs)
    return { id: before.id, isNew: false };
  const id = `${PREFIX}-triage-${fingerprint([...labels, before?.id ?? ''].join('\n')).slice(0, ID_SIGNS)}`;
  const put = await ledger.put(await requestBead(ledger, id, asked), { expects: 0, write: newWrite() });
  return { id, isNew: put.is === 'done' };
}
const ID_SIGNS = 10;

/** The last case of the kind was put before somebody: a person, whose escalation is open, or the mayor, a while ago. Letters have words of their own. */
async function isWithSomebody(ledger: Ledger, before: Bead, { type, bornAt, now, policy }: Asked): Promise<boolean> {
  const choice = caseOf(before)?.resolution?.choice;
  if (type === 'help_request' || Date.parse(before.createdAt) < (bornAt ?? 0)) return false;
  if (choice !== 'ESCALATE' && choice !== 'ESCALATE_TO_MAYOR') return false;
  const [told] = await ledger.beads([escalatedOf(before.id)]);
  if (told !== undefined) return told.status !== 'closed';
  return choice === 'ESCALATE_TO_MAYOR' && now - Date.parse(before.closedAt) < policy.mayorsMs;
}

/** The escalation by which a case was put before a person. */
export const escalatedOf = (id: string): string => `${id}-escalated`;

function withWords(bead: Bead, { why, now }: Asked): Bead {
  if (bead.description.includes(why)) return bead;
  const description = `${bead.description}\n\n${why}`.slice(0, LEDGER.maxText);
  return { ...bead, description, updatedAt: new Date(now).toISOString() };
}

async function requestBead(ledger: Ledger, id: string, asked: Asked): Promise<Bead> {
  const { type, agent, rig, why, by, now, policy } = asked;
  // A queue is no piece of work.
  const hook = asked.bead ?? (type === 'queue_health' ? null : await hookOf(ledger, agent));
  const others = (await undecidedCases(ledger)).filter(
    (one) => one.rig === rig && !one.isPersons && one.type !== 'escalation',
  );
  const isOverflow = type !== 'escalation' && others.length >= policy.maxOpen;
  const at = new Date(now).toISOString();
  return newBead({
    ...{ id, title: `${type}: ${agent === '' ? (hook ?? 'nobody') : agent}`.slice(0, LEDGER.maxTitle) },
    ...{ description: why.slice(0, LEDGER.maxText), type: REQUEST, priority: 1, rig, createdBy: by, createdAt: at },
    labels: [...labelsOf(asked), ...(isOverflow ? [PERSONS] : [])],
    metadata: { triage_type: type, agent_bead_id: agent, ...(hook !== null && { snapshot_hook_bead_id: hook }) },
    extra: { metadata: { context: { summary: why }, options: OPTIONS[type] } },
  });
}

async function hookOf(ledger: Ledger, agent: string): Promise<string | null> {
  if (agent === '') return null;
  const held = await ledger.list({ assignee: agent, statuses: ['hooked', 'in_progress'] }, { limit: 1 });
  return held.items[0]?.id ?? null;
}

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

const isChoice = (word: unknown): word is Choice => CHOICES.some((one) => one === word);

/** null = the bead is no triage request. What a writer put there beyond what its type offers is no option. */
export function caseOf(bead: Bead): TriageCase | null {
  const { id, metadata, labels, status, extra, rig, createdAt, description } = bead;
  const type = TRIAGE_TYPES.find((one) => one === metadata['triage_type']);
  if (bead.type !== REQUEST || type === undefined) return null;
  const more = extra['metadata'];
  const given: unknown = typeof more === 'object' && more !== null && 'options' in more ? more.options : null;
  const offered = OPTIONS[type].filter((one) => !Array.isArray(given) || given.includes(one));
  const choice = metadata['resolution'];
  const word = (key: string): string => metadata[key] ?? '';
  return {
    ...{ id, type, agent: word('agent_bead_id'), rig, createdAt, context: description },
    options: offered.length === 0 ? OPTIONS[type] : offered,
    state: status === 'closed' ? 'closed' : isChoice(choice) ? 'resolved' : 'open',
    snapshot: metadata['snapshot_hook_bead_id'] ?? null,
    tries: Number(metadata['tries'] ?? 0) || 0,
    ...{ isPersons: labels.includes(PERSONS), wasTold: labels.includes(TOLD) },
    resolution: isChoice(choice)
      ? { choice, by: word('resolved_by'), note: word('resolution_note'), at: word('resolved_at') }
      : null,
    outcome: word('outcome'),
  };
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
  changeBead(ledger, id, (bead) => ({
    ...bead,
    labels: [...new Set([...bead.labels, PERSONS, TOLD])],
    updatedAt: at,
  }));
