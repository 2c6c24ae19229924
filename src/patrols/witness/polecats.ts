/**
 * What a patrol sees of a rig's polecats: records, sessions, git, and what they say of themselves in the ledger's evidence. At most
 * eight worktrees are looked at at once. What was seen is noted, so that a death is seen twice.
 */
import type { Bead } from '../../../machines/ledger/bead.ts';
import { holderOf } from '../../../machines/ledger/changes.ts';
import type { WorkerSeen } from '../../../machines/patrols/observation.ts';
import type { StatusReport } from '../../../machines/protocol.ts';
import { addressOf, branchOf, isSameAgent, sessionOf } from '../../../machines/rigs/names.ts';
import { isHalfGone, isHalfMade, isLeft, type PolecatRecord } from '../../../machines/rigs/records.ts';
import { NOTHING_SEEN, type WorktreeFacts } from '../../../machines/rigs/worktree.ts';
import type { WitnessPolicy } from '../../../machines/witness/policy.ts';
import { isUnmergeable } from '../../../machines/witness/handover.ts';
import { quietMs } from '../../../machines/witness/hook.ts';
import type { HookMemory, PolecatSeen } from '../../../machines/witness/observation.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { ifUnread } from '../../../state/files/strict-read.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { keepNote, type Note, type Notes } from '../../../state/patrols/notes.ts';
import { beadsCalled, evidenceOf, newestOf } from '../../ledger/walk.ts';
import { hasRefinery } from '../../rigs/hook-following.ts';
import { SESSION, type Standing } from '../../rigs/sessions.ts';
import type { Trees } from './trees.ts';
import { OF_LIFE } from '../memory/evidence.ts';
import { agoOf, EXEMPTS, NOT_EXEMPT, notesOfLife, ofLife, UNSPOKEN } from '../memory/notes.ts';
import { checkSeen, type Checking } from './checks.ts';
import { failures } from './failures.ts';
import { unknownObservation } from './unknown-observation.ts';
import { treeStateOf, treeTextOf } from './tree-state.ts';
import { closedSeen, formerOf, leftSeen, NOT_SEEN } from './left-seen.ts';
import { begunAt, decidedIn, goneFor, wordsOfIt, type Heard, type LifeSeen } from './words.ts';
import { PATROL_HANDS } from '../policy.ts';
import { age, latest, order } from '../../ports/age.ts';

const { treesAtOnce: AT_ONCE } = PATROL_HANDS;

export interface PolecatView {
  readonly polecat: PolecatSeen;
  readonly worker: WorkerSeen;
}

/** What was said in this idle spell. */
function nudgedWithin(
  said: Note | undefined,
  quietMs: number,
  now: number,
): Pick<PolecatSeen, 'nudged' | 'deadlineMs'> {
  if (said === undefined || age(said.at, now) >= quietMs) return NOTHING_SAID;
  if (said.kind !== 'deadline') return { nudged: 'gently', deadlineMs: null };
  return { nudged: 'with deadline', deadlineMs: age(said.at, now) };
}

/**
 * Since when this bead is on the hook of this life: what an earlier cycle remembers, else its last change, once. A later change of the bead
 * may be a person's, and is no progress of the agent (P-4).
 */
async function hookedAt({ disk, now }: Looking, record: PolecatRecord, bead: Bead, notes: Notes): Promise<number> {
  const text = `${record.uuid} ${bead.id}`;
  const known = notes['hook-since'];
  if (known?.text === text) return known.at;
  const changedAt = Date.parse(bead.updatedAt) || 0;
  const at = latest(record.at, order(changedAt) > order(now) ? now : changedAt, known?.at ?? 0);
  await keepNote(disk, addressOf(record), 'hook-since', { kind: 'hook', text, at });
  return at;
}

/** The agent's own last change of its bead, as the door wrote it. */
function touchedAt(record: PolecatRecord, { official: { touched } }: Bead): number {
  const at = touched?.by === addressOf(record) ? Date.parse(touched.at) : 0;
  return order(at) >= order(record.at) ? at : 0;
}

interface HeardOf extends Omit<Heard, 'report' | 'end'> {
  readonly notes: Notes;
}
type HeardSince = HeardOf & Pick<PolecatSeen, 'idleMs'>;

/** When something was last seen of its work. Commits are asked for only where nothing else says that it moves. */
async function movedAt(looking: Looking, record: PolecatRecord, heard: HeardOf, bead: Bead): Promise<number> {
  const { ledger, now, trees, stillMs } = looking;
  const { newest, goesOnAt, notes, life } = heard;
  // Before its present life began it could not work.
  const began = latest(await hookedAt(looking, record, bead, notes), life?.at ?? 0);
  let last = latest(began, touchedAt(record, bead), goesOnAt ?? 0);
  if (newest !== null && !OF_LIFE.has(newest.kind)) last = latest(last, newest.at);
  if (age(last, now) < stillMs) return last;
  const agent = addressOf(record);
  for await (const one of evidenceOf(ledger, agent)) {
    if (order(one.at) <= order(last)) break;
    if (!OF_LIFE.has(one.kind)) last = one.at;
  }
  return latest(last, await trees.movedAt(record));
}

/** What was done about it. While it moves, that is only whether its pane took the last words. */
function hookMemory(notes: Notes, now: number, isSpokenTo: boolean): HookMemory {
  const newest = notes['hook-exempt'];
  const exempt = newest !== undefined && EXEMPTS.has(newest.kind) ? newest : null;
  const refused = newest !== undefined && newest.kind !== NOT_EXEMPT ? newest : null;
  return {
    nudgedMs: isSpokenTo ? agoOf(notes['hook-nudge'], now) : null,
    askedMs: isSpokenTo ? agoOf(notes['hook-case'], now) : null,
    exemptMs: isSpokenTo ? agoOf(exempt, now) : null,
    refusedMs: agoOf(refused, now),
    unspoken: refused !== null && UNSPOKEN.has(refused.kind) ? refused.text : null,
  };
}

export interface Looking {
  readonly trees: Pick<Trees, 'look' | 'isGone' | 'movedAt' | 'left'>;
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly now: number;
  /** How far back failures count. */
  readonly withinMs: number;
  /** Work that does not move for so long is looked at more closely. */
  readonly stillMs: number;
  readonly policy: WitnessPolicy;
  readonly standing: (session: string) => Standing;
  /** The life that a session on record has, or had last; null = unknown. */
  readonly lifeOf: (session: string) => Promise<LifeSeen | null>;
  /** What sessions report of themselves, by session. */
  readonly reports: ReadonlyMap<string, StatusReport>;
  readonly doneCheck: Checking['doneCheck'];
  /** Names of those whose worktree matters though they seem to work: mail or a cleanup is about them. */
  readonly mustJudge: ReadonlySet<string | null | undefined>;
}

/** Whether what is on its hook moves, and what was done about that. */
async function movesOf(looking: Looking, record: PolecatRecord, heard: HeardSince, bead: Bead | undefined) {
  const { idleMs, notes } = heard;
  const { now, stillMs: least, policy } = looking;
  const stillMs = bead === undefined ? 0 : age(await movedAt(looking, record, heard, bead), now);
  const isSpokenTo = (idleMs ?? 0) >= policy.nudgeAfterMs || stillMs >= least;
  return { hook: bead?.id ?? null, stillMs, hookMemory: hookMemory(notes, now, isSpokenTo) };
}

/** Of one that was being taken away its work went to the refinery first. */
const isItsOwn = (bead: Bead, record: PolecatRecord, session: PolecatSeen['session']): boolean =>
  isSameAgent(bead.assignee, addressOf(record)) ||
  ((isHalfGone(record) || session === 'dead') && hasRefinery(bead, record));
/** An earlier process took it away and was killed before the refinery heard of it: that is continued. */
const isHandedOver = (hooked: Bead | undefined, agent: string): boolean =>
  hooked !== undefined && !isSameAgent(hooked.assignee, agent);

const isUnbegun = (record: PolecatRecord, session: PolecatSeen['session']): boolean =>
  isHalfMade(record) && session === 'dead';

const mainIn = ({ main }: PolecatRecord): string | null => main?.commit ?? null;

type Beads = ReadonlyMap<string, Bead>;

const viewOf = (looking: Looking, record: PolecatRecord, beads: Beads): Promise<PolecatView> =>
  ifUnread(knownView(looking, record, beads), (unread) => unknownObservation(record, looking.now, unread));

async function knownView(looking: Looking, record: PolecatRecord, beads: Beads): Promise<PolecatView> {
  const { ledger, disk, now, standing } = looking;
  const agent = addressOf(record);
  const session = SESSION[standing(sessionOf(record))];
  const bead = record.bead === null ? undefined : beads.get(record.bead);
  const own = hookedBead(bead, record, session);
  const life = await looking.lifeOf(sessionOf(record)).catch(() => null);
  const newest = ofLife(begunAt(record, life), await newestOf(ledger, agent));
  const notes = await notesOfLife(disk, record);
  const { goesOnAt, ...decided } = decidedIn(notes, now);
  const report = looking.reports.get(sessionOf(record));
  const heard = { newest, goesOnAt, life, report, end: notes.end };
  const said = wordsOfIt(looking, record, heard, [own, beads.get(ownBeadOf(record))]);
  const { idleMs } = said;
  const { isOver, ...words } = isHandedOver(own, agent) ? { ...said, ...goneFor(looking) } : said;
  // Of a dead one, what a person set aside and it did not finish is no agent's to go on with.
  const hooked = session === 'dead' && !isOver && own !== undefined && holderOf(own) === null ? undefined : own;
  const isAtWork = session === 'alive' && hooked !== undefined && !isOver && decided.dirtyToldMs === null;
  const facts = await looked(looking, record, isAtWork);
  const deadMs = await deadSince(looking, record, session, notes);
  const ageMs = age(record.at, now);
  const tree = treeStateOf(facts, record);
  const isDead = session === 'dead' && deadMs !== null;
  const isEnding = isOver || isJudged(looking, record, decided) || (isDead && hooked !== undefined);
  const left = await leftSeen(looking, record, { facts, tree, isEnding, hasWork: hooked !== undefined });
  const moves = await movesOf(looking, record, { newest, goesOnAt, life, notes, idleMs }, hooked);
  const polecat: PolecatSeen = {
    name: record.name,
    uuid: record.uuid,
    agent,
    session,
    branch: branchOf(record),
    ageMs,
    main: mainIn(record),
    tree,
    treeText: treeTextOf(facts),
    left,
    check: tree === 'going' ? null : await checkSeen(looking, record, left, notes),
    emptyToldMs: isUnmergeable({ left }) ? agoOf(notes.empty, now) : null,
    ...closedSeen(bead, notes, now),
    former: formerOf(record, bead, { hooked, left }),
    ...decided,
    ...words,
    ...moves,
    ...nudged(looking, notes, { idleMs, ...moves }),
    isConfirmed: deadMs !== null,
    isDisputed: newest !== null && isHeardSince(deadMs, idleMs),
  };
  return { polecat, worker: await workerOf(looking, record, { polecat, isDead, hooked }) };
}

/** Mail or a cleanup is about it, or its time to see to what it left is over. */
const isJudged = (
  { mustJudge, policy }: Looking,
  { name }: PolecatRecord,
  { dirtyToldMs }: Pick<PolecatSeen, 'dirtyToldMs'>,
): boolean => mustJudge.has(name) || (dirtyToldMs ?? 0) >= policy.deadlineMs;

interface Death {
  readonly polecat: PolecatSeen;
  readonly isDead: boolean;
  readonly hooked: Bead | undefined;
}

/** One that just began is no zombie, and a death is seen twice. */
async function workerOf(
  looking: Looking,
  record: PolecatRecord,
  { polecat, isDead, hooked }: Death,
): Promise<WorkerSeen> {
  const { agent, session } = polecat;
  const ageMs = age(record.at, looking.now);
  const isGone = isDead && ageMs >= looking.policy.startGraceMs;
  return {
    isUnbegun: isUnbegun(record, session),
    agent,
    session: session === 'dead' && !isGone ? 'unknown' : session,
    left: isGone ? polecat.left : NOT_SEEN,
    startedFor: record.bead === null ? null : { bead: record.bead, agoMs: ageMs },
    failureAgesMs: isGone && hooked !== undefined ? await failures(looking, record.rig, [agent, hooked.id]) : [],
  };
}

/** The bead that it was started for, while that is its own, or goes to the refinery. */
function hookedBead(bead: Bead | undefined, record: PolecatRecord, session: PolecatSeen['session']): Bead | undefined {
  return bead !== undefined && bead.status !== 'closed' && isItsOwn(bead, record, session) ? bead : undefined;
}

/** What was said to it since it fell silent; nothing was to one of which something is seen. */
function nudged(
  { now, policy }: Looking,
  notes: Notes,
  seen: Pick<PolecatSeen, 'idleMs' | 'hook' | 'stillMs'>,
): Pick<PolecatSeen, 'nudged' | 'deadlineMs'> {
  const quiet = quietMs(seen);
  if (quiet < policy.nudgeAfterMs) return NOTHING_SAID;
  return nudgedWithin(notes.nudge, quiet, now);
}
const NOTHING_SAID = { nudged: 'never', deadlineMs: null } as const;

/** The bead of an agent itself, as Gas Town names it. */
const ownBeadOf = ({ rig, name }: PolecatRecord): string => `gt-${rig}-polecat-${name}`;

/** A look starts a git program: it is skipped for a working agent that no rule has to judge, unless its folder was taken away. */
async function looked({ trees, mustJudge }: Looking, record: PolecatRecord, isAtWork: boolean): Promise<WorktreeFacts> {
  const isLooked = !isAtWork || mustJudge.has(record.name) || (await trees.isGone(record));
  return isLooked ? trees.look(record) : NOTHING_SEEN;
}

/** How long ago an earlier cycle saw it dead; null = none did. What is seen now is remembered where it is new. */
async function deadSince(
  { disk, now }: Looking,
  record: PolecatRecord,
  session: PolecatSeen['session'],
  { session: before }: Notes,
): Promise<number | null> {
  const { uuid } = record;
  const text = `${uuid} ${session}`;
  if (session !== 'unknown' && before?.text !== text)
    await keepNote(disk, addressOf(record), 'session', { kind: 'session', text, at: now });
  return before?.text === `${uuid} dead` ? agoOf(before, now) : null;
}

const isHeardSince = (deadMs: number | null, idleMs: number | null): boolean =>
  deadMs !== null && idleMs !== null && idleMs < deadMs;

export async function polecatViews(looking: Looking, records: readonly PolecatRecord[]): Promise<PolecatView[]> {
  const ids = new Set(records.flatMap((record) => [ownBeadOf(record), ...(record.bead === null ? [] : [record.bead])]));
  const beads = new Map((await beadsCalled(looking.ledger, [...ids])).map((bead) => [bead.id, bead]));
  const found: PolecatView[] = [];
  const wanted = records.filter((one) => !waitsForNext(one, beads));
  for (let first = 0; first < wanted.length; first += AT_ONCE)
    found.push(...(await Promise.all(wanted.slice(first, first + AT_ONCE).map((one) => viewOf(looking, one, beads)))));
  return found;
}

/** A worktree that the next one at its work takes over is no zombie; without that work it is one like any other. */
function waitsForNext(record: PolecatRecord, beads: ReadonlyMap<string, Bead>): boolean {
  const bead = beads.get(record.bead ?? '');
  return isLeft(record) && bead !== undefined && bead.status !== 'closed' && bead.assignee === '';
}
