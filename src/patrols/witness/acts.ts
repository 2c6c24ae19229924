/**
 * Carries out what a cycle of a witness wants, one act after another. Each is safe to be done again: writes to the ledger rest on
 * what stands there then, letters have an id that comes of what they say, and a nuke looks before it does anything.
 */
import { nameOf } from '../../../state/files/layout.ts';
import type { TriageType } from '../../../machines/triage/cases.ts';
import { aboutOf, type OrderedAct } from '../../../machines/witness/acting.ts';
import type { Mailbox } from '../../../state/mail/mailbox.ts';
import { changeBead, changeOfficially } from '../../ledger/change.ts';
import { escalateGate, overdue } from '../../ledger/gates.ts';
import { startSwarm } from '../../ledger/swarms.ts';
import { requestTriage, type Asked } from '../../triage/requests.ts';
import { attempt, needsPerson, type WitnessAct } from '../memory/outcome.ts';
import { noteRefusal, refuseRefused, type Refusal } from './push-refused.ts';
import type { EndWanted } from './ends.ts';
import { WAKE } from '../../../machines/witness/refinery.ts';
import { RESTARTED } from './refinery.ts';

import { keepWork, workOn, type Attempt } from '../../../state/rigs/work.ts';
import { refineryAddress } from '../../../machines/rigs/names.ts';
import { EVIDENCE, failuresOf, witnessOf } from '../memory/evidence.ts';
import { remember } from '../memory/notes.ts';
import { changeOf, type BeadAct } from './bead-acts.ts';
import { beginCheck, type Checking } from './checks.ts';
import { cleanup } from './cleanups.ts';
import { forgetHanded, handOver, withdraw, type HandOverDeps } from './hand-over.ts';
import { BY_WITNESS, sendLetter } from './post.ts';
import { nudge, type SpeakDeps } from './speak.ts';
import { tell } from '../memory/escalations.ts';

export interface ActDeps extends SpeakDeps, HandOverDeps, Refusal {
  readonly triage: Asked['policy'];
  /** A case is new: its reasoner is not to wait for the next round of the Deacon. */
  readonly asked: () => void;
  /** Its own mailbox. */
  readonly own: Mailbox;
  /** The end of its screen, for people; empty = it cannot be seen. */
  readonly tailOf: (agent: string) => Promise<string>;
  /** The work that the polecat that this agent is was started for; null = none. */
  readonly startedFor: (agent: string) => string | null;
  /** The files that a polecat left uncommitted, with their sizes; '' = there are none, or unknown. */
  readonly filesOf: (agent: string) => Promise<string>;
  /** Why no polecat can start now, by a look that makes nothing, as a sentence; null = one can. */
  readonly obstacle: () => Promise<string | null>;
  readonly spawn: (bead: string) => Promise<string>;
  /** What became of the wish that its life ends. */
  readonly end: (wanted: EndWanted) => Promise<string>;
  /** Begins the rig's `done_check` on this commit in the polecat's worktree, in a process of its own. */
  readonly check: (polecat: string, commit: string) => void;
  readonly doneCheck: Checking['doneCheck'];
  /** Deletes the branches of earlier attempts at merged work that hold nothing which main lacks. Rejects where the remote does not answer. */
  readonly dropMerged: (bead: string) => Promise<readonly string[]>;
  /** A session of the rig's own: its refinery. */
  readonly start: (agent: string) => Promise<void>;
}

type Of<Name> = Extract<OrderedAct, { act: Name }>;

const iso = (now: number): string => new Date(now).toISOString();
/** What an act changed, in words; null = it stood so already. */
type Change = string | null;

/** Acts of one order: letters that were handled are put away together (W-7), any other is alone. */
export async function carryOutAll(deps: ActDeps, acts: readonly OrderedAct[]): Promise<WitnessAct[]> {
  const letters = acts.filter((act) => act.act === 'archive');
  const done: WitnessAct[] = letters.length === 0 ? [] : await putAway(deps.own, letters);
  for (const act of acts.filter(({ act }) => act !== 'archive')) {
    const outcome = await carryOut(deps, act);
    if (outcome !== null) done.push(outcome);
  }
  return done;
}

/** null = it stood so already. */
export const carryOut = (deps: ActDeps, act: OrderedAct): Promise<WitnessAct | null> =>
  attempt({ act: act.act, about: aboutOf(act) }, () => perform(deps, act));

async function putAway(own: Mailbox, acts: readonly Of<'archive'>[]): Promise<WitnessAct[]> {
  const archive = () => own.archiveAll(acts.map(({ mail }) => mail)).then(() => '');
  const { done, text } = await attempt({ act: 'archive', about: '' }, archive);
  return acts.map(({ act, mail, why }) => ({ act, about: mail, done, text: done ? why : text }));
}

async function perform(deps: ActDeps, act: OrderedAct): Promise<Change> {
  switch (act.act) {
    case 'archive':
      await deps.own.archiveAll([act.mail]);
      return act.why;
    case 'withdraw':
      return withdraw(deps, act);
    case 'shelve':
      await deps.own.shelve(act.mails, act.to);
      return act.why;
    case 'forward':
      return forward(deps, act);
    case 'nuke':
      return handedOver(deps, act);
    case 'spawn':
      return spawned(deps, act.bead);
    case 'nudge':
      return nudge(deps, act);
    case 'check':
      return beginCheck(deps, act);
    case 'end':
      return deps.end(act);
    case 'start':
      // Before: one that ends at once, or the patrol with it, is not started again in the next cycle.
      await remember(deps, refineryAddress(deps.rig), 'start', act.endedSoon ? RESTARTED : 'start', act.why);
      await wakeByMail(deps, act);
      await deps.start(act.agent);
      return act.why;
    case 'send':
      return sendLetter(deps, act);
    case 'wisp':
      return cleanup(deps, act);
    case 'follow':
      return follow(deps, act);
    case 'triage':
      return triage(deps, act);
    case 'tell':
      return told(await tell(deps, act), act.text);
    case 'escalate':
      return escalate(deps, act);
    case 'fail':
    case 'reopen':
      return takenBack(deps, act);
    case 'close':
      return closed(deps, act);
    default:
      return change(deps, act);
  }
}

const told = (escalation: Change, text: string): Change => (escalation === null ? null : `${escalation}: ${text}`);

/** A push that the remote refused is one case, and waits, until the remote has that commit from somewhere else. */
async function handedOver(deps: ActDeps, act: Of<'nuke'>): Promise<string> {
  // What is handed over is pushed too where the remote does not have it.
  const mayPush = act.push || act.ready !== null;
  if (mayPush) await refuseRefused(deps, act);
  try {
    return await handOver(deps, act, () => note(deps, witnessOf(deps.rig), EVIDENCE.success, act.polecat));
  } catch (error) {
    if (mayPush) await noteRefusal(deps, act, error, (one) => triage(deps, one));
    throw error;
  }
}

/** Who wrote it, and when, stays with it. */
async function forward({ own, boxOf }: ActDeps, { mail, to }: Of<'forward'>): Promise<Change> {
  const letter = (
    await own.page(['new', 'cur'], { limit: 1, from: 'oldest', of: (name) => name === `${nameOf(mail)}.json` })
  )[0];
  if (letter === undefined) return null;
  const { box: _, to: __, sent_at: sentAt, ...words } = letter;
  await (await boxOf(to)).send({ ...words, sentAt: Date.parse(sentAt) });
  return `to ${to}: ${letter.subject}`;
}

/** One letter that waits is enough, however often it is started. */
async function wakeByMail(deps: ActDeps, { agent, why }: Of<'start'>): Promise<void> {
  const box = await deps.boxOf(agent);
  const isOurs = (name: string): boolean => name.startsWith(BY_WITNESS);
  const waiting = await box.page(['new', 'cur'], { limit: Infinity, from: 'oldest', of: isOurs });
  if (waiting.some(({ subject }) => subject === WAKE)) return;
  const body = `${why}. Please process them.\n`;
  await sendLetter(deps, { to: agent, subject: WAKE, body, of: String(deps.now) });
}

/** What a crash loop is counted by: the failures of an agent, and of the work itself, which goes from one to the next (P-12). */
async function takenBack(deps: ActDeps, act: Of<'reopen' | 'fail'>): Promise<Change> {
  const { rig, disk, ledger, now } = deps;
  // First: what cannot be read may name what the next attempt begins with, so that the work stays where it is.
  const { begun } = await workOn(disk, { rig, of: act.bead });
  const [bead] = await ledger.beads([act.bead]);
  // Before the bead: what was taken back is seen by no later cycle.
  if (act.act === 'fail') {
    const text = `${act.bead}${bead ? ` (${bead.title})` : ''} has failed: ${act.why}`;
    await tell(deps, { severity: 'high', about: `failed/${act.bead}`, text, until: act.bead, isOfMany: true });
  }
  if (bead !== undefined && changeOf(act, bead, iso(now))[0] !== bead) {
    const last = begun.at(-1);
    const once = `${act.bead}-${last?.uuid ?? now}-${bead.attempts}`;
    for (const one of [act.bead, act.from]) await note(deps, failuresOf(rig, one), EVIDENCE.failure, act.why, once);
    if (act.left !== null) await keepSeenBranch(deps, act.bead, act.left.branch, last);
  }
  return change(deps, act);
}

/** The next attempt hears of the branch that was seen: an agent may have worked on one of another name. */
async function keepSeenBranch(
  { disk, rig, now }: ActDeps,
  bead: string,
  branch: string,
  kept: Attempt | undefined,
): Promise<void> {
  if (kept && kept.branch !== branch)
    await keepWork(disk, { rig, of: bead }, { begun: [{ ...kept, branch, at: now }] });
}

/** Branches of earlier attempts go afterwards, once: the report names one that the remote kept. None delays a bead. */
async function closed(deps: ActDeps, act: Of<'close'>): Promise<Change> {
  const text = await change(deps, { ...act, handed: await forgetHanded(deps, act.bead) });
  const gone = text === null || 'ifOpen' in act ? [] : await deps.dropMerged(act.bead).catch(() => []);
  return gone.length === 0 ? text : `${text ?? ''}; deleted on the remote, since main has it: ${gone.join(', ')}`;
}

/** Acts that change one bead. */
async function change({ ledger, now }: ActDeps, act: BeadAct): Promise<Change> {
  const id = act.act === 'label' ? act.wisp : act.bead;
  let text: Change = null;
  const write = act.act === 'close' ? changeOfficially : changeBead;
  const changed = await write(ledger, id, (bead) => {
    const [next, says] = changeOf(act, bead, iso(now));
    text = next === bead ? null : says;
    return next;
  });
  if (changed === null) throw new Error(`there is no bead ${id} any more`);
  return text;
}

type Counted = 'attempt' | 'refused' | 'success' | 'failure';

/** What the breaker of dispatch counts, and a crash loop. `once`: what makes it the same when it is noted again. */
async function note({ ledger, now }: ActDeps, author: string, kind: Counted, text: string, once = `${text}-${now}`) {
  await ledger.addEvidence({ id: `${author}-${kind}-${once}`, author, kind, text, at: now });
}

async function escalate({ ledger, rig, now }: ActDeps, { gate, title }: Of<'escalate'>): Promise<Change> {
  const about = { by: witnessOf(rig), at: iso(now) };
  const told = await escalateGate(ledger, gate, overdue({ id: gate, title }), about);
  return told?.title ?? null;
}

/**
 * A start that would be refused is no attempt, and makes no worktree. It is tried in each cycle; one that lasts is an alert (P-11). One that
 * only a person makes possible is no attempt either: the breaker would end that alert while its cause stands.
 */
async function spawned(deps: ActDeps, bead: string): Promise<string> {
  const why = await deps.obstacle();
  if (why !== null) throw new Error(why);
  await note(deps, witnessOf(deps.rig), EVIDENCE.attempt, bead);
  try {
    return `${await deps.spawn(bead)} works on it`;
  } catch (error) {
    // The disk that is full may be the ledger's too: the alert names its cause all the same.
    if (needsPerson(error)) await note(deps, witnessOf(deps.rig), EVIDENCE.refused, bead).catch(() => undefined);
    throw error;
  }
}

async function follow({ ledger, rig, now }: ActDeps, { swarm: name, beads }: Of<'follow'>): Promise<Change> {
  const started = await startSwarm(ledger, { name, beads, by: witnessOf(rig), at: iso(now), rig });
  if (started.is === 'unknown') throw new Error(`the ledger does not have ${started.beads.join(', ')}`);
  return started.is === 'there' ? null : started.bead.id;
}

/** What the case shows to the person or the reasoner who decides: of an agent that hangs its screen, of its files their names. */
const SHOWS: Readonly<Partial<Record<TriageType, (deps: ActDeps, agent: string) => () => Promise<string>>>> = {
  stuck_agent:
    ({ tailOf }, agent) =>
    () =>
      tailOf(agent),
  dirty_polecat:
    ({ filesOf }, agent) =>
    () =>
      filesOf(agent),
};

/** Opens a case; at most one is open for an agent and a type. */
async function triage(deps: ActDeps, act: Of<'triage'>): Promise<Change> {
  const { ledger, rig, now, triage: policy, bornAt, startedFor } = deps;
  const why = 'context' in act ? act.context : `${act.agent} failed too often at ${act.bead}`;
  // A dead one's work is off its hook by then, and still the work that its worktree holds.
  const bead = 'bead' in act ? act.bead : act.type === 'dirty_polecat' ? startedFor(act.agent) : null;
  const about = { type: act.type, agent: act.agent, rig, why, ...(bead !== null && { bead }) };
  const at = bornAt(act.agent);
  const shows = SHOWS[act.type]?.(deps, act.agent);
  const asked = {
    ...about,
    by: witnessOf(rig),
    now,
    policy,
    ...(at !== null && { bornAt: at }),
    ...(shows && { shows }),
  };
  const { id, isNew } = await requestTriage(ledger, asked);
  if ('of' in act) await remember(deps, act.agent, 'hook-case', 'hook', id);
  if (isNew) deps.asked();
  return isNew ? id : null;
}
