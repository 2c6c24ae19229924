/**
 * What an agent may change in the ledger (law 11), as one function for every door: the commands, the front that speaks as `bd`, an
 * import. It compares a bead as it is stored with the bead that an agent wants there. The answer rests on the hook, and on who made the
 * bead as the store knows it, never on words that a bead holds.
 */
import { isDeepStrictEqual } from 'node:util';
import { HELD_STATUSES, type Bead, type Dependency, type Signature } from '../../machines/ledger/bead.ts';
import { holderOf, isAtWork } from '../../machines/ledger/changes.ts';
import { isPolecat, polecatIn, sessionOfAgent } from '../../machines/rigs/names.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { isKept, isKeptField, isKeptKey, isKeptLabel } from './kept-words.ts';
import { isWorkType } from './walk.ts';

/** An agent that a living session's token proved. */
export interface AgentCaller {
  /** As an assignee is written. */
  readonly address: string;
  readonly session: string;
  readonly life: string;
  /** The operator started it to give out work: a mayor, the Deacon, or one with the tag of orchestrators. */
  readonly leads?: boolean;
}

export interface Wish {
  /** null = there is none yet. */
  readonly before: Bead | null;
  readonly after: Bead;
  /** Times between these (wall ms) are those of the door. */
  readonly since: number;
  readonly until: number;
}

/** Gas Town's done-intent, which a polecat writes of itself: `done-intent:<type>:<seconds>`. */
const INTENT = /^done-intent:(?:[^:]*:)?(\d+)$/;

/**
 * A polecat's name goes to the next polecat, which made nothing of this: the life on record decides, and an unknown one made nothing. An
 * office (mayor, refinery) goes on over its lives, which hand their work to each other (C-10).
 */
export function isMaker(
  { address, life }: Pick<Signature, 'life'> & { readonly address: string },
  bead: Pick<Bead, 'official'>,
): boolean {
  const { made } = bead.official;
  if (made?.via !== 'agent' || made.by !== address) return false;
  return !isPolecat(address) || (life !== null && made.life === life);
}
/** Also of what it set aside itself. */
const isHolder = (caller: AgentCaller, { status, assignee }: Bead): boolean =>
  HELD_STATUSES.includes(status) && isSelf(caller, assignee);
const isSelf = ({ session }: AgentCaller, name: string): boolean => sessionOfAgent(name) === session;

/** Its own agent bead, as Gas Town names it. */
function ownBeadOf({ address }: AgentCaller): string | null {
  const name = polecatIn(address);
  return name === null ? null : `gt-${name.rig}-polecat-${name.name}`;
}

/**
 * Work that waits for an agent: it may take it onto its own hook, and change nothing else of it. An agent of a rig takes work of that
 * rig. A convoy is no work: on a hook it would be the agent's to close.
 */
function isTaken(caller: AgentCaller, before: Bead, after: Bead): boolean {
  const home = polecatIn(caller.address)?.rig;
  if (home !== undefined && !['', home].includes(before.rig)) return false;
  const isFree = before.status === 'open' && (before.assignee === '' || isSelf(caller, before.assignee));
  if (!isFree || isKept(before) || !isWorkType(before.type)) return false;
  if (!isAtWork(after) || !isHolder(caller, after)) return false;
  const { status, assignee, startedAt, updatedAt } = after;
  return isDeepStrictEqual({ ...before, status, assignee, startedAt, updatedAt }, after);
}

/** Why this bead is not the caller's to change at all; null = it is. */
export function strangerDenied(caller: AgentCaller, bead: Bead): string | null {
  if (isKept(bead)) return `${bead.id} (${bead.type}) is the town's own`;
  const holder = holderOf(bead);
  if (holder !== null && !isSelf(caller, holder)) return `${bead.id} is on the hook of ${holder}`;
  if (isHolder(caller, bead) || isMaker(caller, bead)) return null;
  return `${bead.id} is not on your hook, and you did not make it`;
}

/** Why this agent may not have this bead stored; null = it may. */
export function changeDenied(caller: AgentCaller, wish: Wish): string | null {
  const { before, after } = wish;
  if (before === null) return newDenied(caller, wish);
  if (before.id === ownBeadOf(caller)) return ofItselfDenied(before, after, wish);
  if (isTaken(caller, before, after)) return timesDenied(wish);
  return strangerDenied(caller, before) ?? fieldsDenied(caller, wish);
}

/** Of its own agent bead it writes when it is done, and nothing else. */
function ofItselfDenied(before: Bead, after: Bead, wish: Wish): string | null {
  const { labels, updatedAt } = after;
  if (!isDeepStrictEqual({ ...before, labels, updatedAt }, after))
    return `${before.id} is the town's own: of it you set your done-intent alone`;
  const others = changedWords(before.labels, labels).filter((label) => !INTENT.test(label));
  if (others.length > 0) return `${before.id} is the town's own: the label ${JSON.stringify(others[0])} is not yours`;
  return intentDenied(wish) ?? timesDenied(wish);
}

function newDenied(caller: AgentCaller, wish: Wish): string | null {
  const { after } = wish;
  if (isKept(after)) return `beads such as ${after.id} (${after.type}) are the town's own`;
  if (!isOwnId(after.id)) return `the id ${after.id} is of a kind that the town gives`;
  return fieldsDenied(caller, wish);
}

/**
 * What ids of an agent's beads look like: the town derives its own (`tw-triage-…`, `…-overdue`, `tw-wisp-` and a checksum) and must
 * find them free, or it alerts a person of nothing. A wisp of an agent has the id that `newId` draws.
 */
const DERIVED_ID = /-(?:triage|swarm|digest|plugin|polecat|witness|patrol|escalated|undecided|refused|overdue)(?:-|$)/;
const DRAWN_WISP_ID = new RegExp(`-wisp-[0-9a-z]{${String(LEDGER.idLength)}}$`);
const isOwnId = (id: string): boolean => !DERIVED_ID.test(id) && (!/-wisp(?:-|$)/.test(id) || DRAWN_WISP_ID.test(id));

const NONE = { labels: [], metadata: {}, extra: {}, dependencies: [] } as const;

function fieldsDenied(caller: AgentCaller, wish: Wish): string | null {
  const { before, after } = wish;
  const was = before ?? NONE;
  if (isKept(after)) return `${after.id} would become the town's own (${after.type})`;
  const label = changedWords(was.labels, after.labels).find((one) => isKeptLabel(one));
  if (label !== undefined) return `the label ${JSON.stringify(label)} is the town's own`;
  const key = changedKeys(was.metadata, after.metadata).find((one) => isKeptKey(one));
  if (key !== undefined) return `the metadata ${JSON.stringify(key)} is the town's own`;
  const field = changedExtra(was.extra, after.extra);
  if (field !== undefined) return `the field ${JSON.stringify(field)} is the town's own`;
  return (
    intentDenied(wish) ??
    officesDenied(caller, wish) ??
    assigneeDenied(caller, wish) ??
    linksDenied(caller, wish) ??
    timesDenied(wish)
  );
}

/** Authors, and what the town counts. */
function officesDenied(caller: AgentCaller, { before, after }: Wish): string | null {
  const author = before?.createdBy ?? caller.address;
  if (after.createdBy !== author) return `its author is ${author}, and not yours to set`;
  const owners = [before?.owner ?? '', caller.address, caller.session];
  if (!owners.includes(after.owner)) return `its owner ${JSON.stringify(after.owner)} is not yours to set`;
  const attempts = before?.status === 'closed' && after.status !== 'closed' ? 0 : (before?.attempts ?? 0);
  if (after.attempts !== attempts) return 'its attempts are counted by the town';
  if (before !== null && before.isWisp !== after.isWisp) return 'whether it is a wisp is not yours to change';
  return before === null || isMaker(caller, before) ? null : givenDenied(caller, before, after);
}

/** Of work that it was given: it stays work of its rig, with this agent, another, or over. */
function givenDenied(caller: AgentCaller, before: Bead, after: Bead): string | null {
  if (!isHolder(caller, before)) return null;
  if (before.rig !== after.rig) return `its rig ${JSON.stringify(before.rig)} is not yours to change`;
  // The town gives out no bead of such a type or status: the work would be lost without a word once this agent is gone.
  if (isWorkType(before.type) && !isWorkType(after.type))
    return `as ${after.type} it would be work no more, and you did not make it`;
  const isNoAgents = after.assignee === '' && HELD_STATUSES.includes(after.status);
  return isNoAgents ? `${after.status} and of no agent it would never be begun: give it back as open` : null;
}

function assigneeDenied(caller: AgentCaller, { before, after }: Wish): string | null {
  const holder = holderOf(after);
  if (holder !== null && !isSelf(caller, holder))
    return `work is put on the hook of ${holder} by the town or the operator`;
  const isGiven =
    after.assignee !== '' && after.assignee !== (before?.assignee ?? '') && !isSelf(caller, after.assignee);
  const isOwn = before === null || isMaker(caller, before);
  return isGiven && !isOwn ? `work is given to ${after.assignee} by the town or the operator` : null;
}

/** A link of a bead is a change of that bead alone; what it follows is a convoy's. */
function linksDenied(caller: AgentCaller, { before, after, since, until }: Wish): string | null {
  const known = before?.dependencies ?? [];
  const news = after.dependencies.filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  const odd = (one: Dependency): boolean =>
    (one.createdBy !== '' && one.createdBy !== caller.address) ||
    (one.createdAt !== '' && !isWithin(one.createdAt, since, until));
  if (news.some(odd)) return 'author and time of a link are not yours to set';
  const follows = (bead: Pick<Bead, 'dependencies'>): string[] =>
    bead.dependencies.flatMap(({ on, type }) => (type === 'tracks' ? [on] : []));
  if (after.type === 'convoy' || isDeepStrictEqual(follows(before ?? NONE), follows(after))) return null;
  return 'only a convoy tracks other beads';
}

const isWithin = (at: string, since: number, until: number): boolean => {
  const ms = Date.parse(at);
  return ms >= since && ms <= until;
};

const TIMES = ['createdAt', 'updatedAt', 'startedAt', 'closedAt'] as const;
function timesDenied({ before, after, since, until }: Wish): string | null {
  const odd = TIMES.find((key) => {
    const at = after[key];
    if (at === '' || at === before?.[key]) return false;
    return (key === 'createdAt' && before !== null) || !isWithin(at, since, until);
  });
  return odd === undefined ? null : `its time ${JSON.stringify(after[odd])} is not yours to set`;
}

/** An intent of tomorrow would end the next one that has the bead. */
function intentDenied({ before, after, until }: Wish): string | null {
  const late = after.labels.find((label) => {
    const seconds = INTENT.exec(label)?.[1];
    return seconds !== undefined && before?.labels.includes(label) !== true && Number(seconds) * 1_000 > until;
  });
  return late === undefined ? null : `the time of the label ${JSON.stringify(late)} has not come`;
}

const changedWords = (was: readonly string[], is: readonly string[]): string[] => [
  ...was.filter((one) => !is.includes(one)),
  ...is.filter((one) => !was.includes(one)),
];
const changedKeys = (was: Readonly<Record<string, unknown>>, is: Readonly<Record<string, unknown>>): string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((key) => !isDeepStrictEqual(was[key], is[key]));

function changedExtra(was: Bead['extra'], is: Bead['extra']): string | undefined {
  const objectIn = (extra: Bead['extra']): Readonly<Record<string, unknown>> => {
    const more = extra['metadata'];
    return typeof more === 'object' && more !== null ? { ...more } : {};
  };
  const inside = changedKeys(objectIn(was), objectIn(is)).find((key) => isKeptKey(key));
  return inside ?? changedKeys(was, is).find((key) => isKeptField(key));
}
