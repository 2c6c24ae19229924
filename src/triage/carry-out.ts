/**
 * The town carries out what was chosen, through the doors that every caller uses. Each act is safe to be done again: warrants,
 * letters and escalations have an id that comes of the case's, beads change by what stands there, and git work goes on where it was
 * cut off. What is refused goes to a person, with the reason; what is unknown yet waits.
 */
import type { Bead } from '../../machines/ledger/bead.ts';
import { closeOnce, holderOf } from '../../machines/ledger/changes.ts';
import type { TriageCase } from '../../machines/triage/cases.ts';
import { actsOf, type TriageAct, type ActPolicy, type World } from '../../machines/triage/acts.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { changeBead } from '../ledger/change.ts';
import { hookOf } from '../ledger/evidence-names.ts';
import { Failure } from '../terminal/failure.ts';
import { caseCalled, closeCase, reopenCase } from './resolve.ts';
import { decisionOf, escalatedOf, undecidedCases } from './requests.ts';
import { afterAttempt, REST_UNTIL } from '../ledger/attempts.ts';

export interface Letter {
  /** The same letter once more has the same. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

export interface CaseEscalation {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  /** The case; null = it stands for many. */
  readonly related: string | null;
  /** It is over once the case is closed. */
  readonly endsWithIt: boolean;
}

/** What the hands of the caller do; all throw with one sentence where it is refused. */
export interface TriageHands {
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly policy: ActPolicy;
  /** Of the agent's session, and whether another one has its name since then (wall ms). */
  readonly standing: (agent: string, since: number) => Promise<Pick<World, 'standing' | 'isAnother'>>;
  /** Its life said by its own token that it is done, and rests at its prompt. */
  readonly wishesEnd: (agent: string) => Promise<World['wishesEnd']>;
  /** Asks for the end of its life at its own wish; once more for the same life is fine. Rejects where it goes on for long. */
  readonly end: (agent: string, reason: string) => Promise<string>;
  readonly nudge: (agent: string, text: string) => Promise<void>;
  /** The session of a rig's own. */
  readonly start: (agent: string) => Promise<void>;
  readonly warrant: (agent: string, id: string, reason: string) => Promise<void>;
  readonly mail: (letter: Letter) => Promise<void>;
  /** The mayor's mailbox has a reader. */
  readonly hasMayor: () => Promise<boolean>;
  /** An escalation with mail to the person; once for an id. */
  readonly escalate: (given: CaseEscalation) => Promise<void>;
  /** All three say what came of it. `then`: once the worktree is gone, before its record goes. */
  readonly save: (
    agent: string,
    message: string,
    how: { readonly all: boolean; readonly shown: string | null },
  ) => Promise<string>;
  readonly leave: (agent: string) => Promise<string>;
  readonly discard: (agent: string, id: string, then: () => Promise<void>) => Promise<string>;
  /** Nothing of the town answers now: not a refusal. */
  readonly isTransient: (error: unknown) => boolean;
}

export interface CarriedOut {
  readonly id: string;
  /** `waiting`: tried again next time. `refused`: a person decides. */
  readonly is: 'done' | 'waiting' | 'refused';
  readonly text: string;
  /** Of a refusal. */
  readonly error: Failure | null;
}

/** Everything that was chosen and not carried out. */
export async function carryOutAll(hands: TriageHands): Promise<CarriedOut[]> {
  const found: CarriedOut[] = [];
  for (const { id, state } of await undecidedCases(hands.ledger))
    if (state === 'resolved') found.push(await carryOut(hands, id));
  return found;
}

export async function carryOut(hands: TriageHands, id: string): Promise<CarriedOut> {
  const one = await caseCalled(hands.ledger, id);
  const { resolution } = one;
  if (resolution === null || one.state !== 'resolved')
    return { id, is: 'done', text: one.outcome === '' ? 'nothing was chosen' : one.outcome, error: null };
  const decided = actsOf(one, resolution, await worldOf(hands, one), hands.policy);
  if (decided.is === 'wait') return { id, is: 'waiting', text: decided.why, error: null };
  try {
    if (decided.is === 'begin') {
      const said = await perform(hands, one, decided.act);
      return { id, is: 'waiting', text: `${decided.why}: ${said}`, error: null };
    }
    const said: string[] = [];
    for (const act of decided.is === 'do' ? decided.acts : []) said.push(await perform(hands, one, act));
    const text = decided.is === 'do' ? said.join('; ') : `nothing was done: ${decided.why}`;
    await closeCase(hands.ledger, id, text, hands.now());
    return { id, is: 'done', text, error: null };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (hands.isTransient(error)) return { id, is: 'waiting', text, error: null };
    const why = `${resolution.choice} was not done: ${text}`;
    if (resolution.via !== 'operator') await tellPerson(hands, one, why, 'refused');
    await reopenCase(hands.ledger, id, text, hands.now());
    return { id, is: 'refused', text, error: error instanceof Failure ? error : null };
  }
}

/** The name in which the operator chooses; the command itself reports a refusal. */
export const OPERATOR = 'overseer' as const;

/** A person is told of a case, once for what it is about. */
export const tellPerson = (
  hands: Pick<TriageHands, 'escalate'>,
  { id, type, agent, options, context }: TriageCase,
  why: string,
  about: 'undecided' | 'refused' = 'undecided',
): Promise<void> =>
  hands.escalate({
    id: decisionOf(id, about),
    title: `decide about ${agent === '' ? id : agent}: ${type}`,
    reason: `${why}.\n\n${context}\n\nChoose: town triage resolve ${id} ${options.join('|')}`,
    related: id,
    endsWithIt: true,
  });

const HELD = ['hooked', 'in_progress'] as const;

async function worldOf(hands: TriageHands, { agent, snapshot, createdAt, resolution }: TriageCase): Promise<World> {
  const [bead] = snapshot === null ? [] : await hands.ledger.beads([snapshot]);
  const whose =
    agent === ''
      ? ({ standing: 'none', isAnother: false } as const)
      : await hands.standing(agent, Date.parse(createdAt));
  const held = agent === '' ? [] : (await hands.ledger.list({ assignee: agent, statuses: HELD }, { limit: 1 })).items;
  return {
    ...whose,
    // Nothing else asks for it, and it is a look at the screen.
    wishesEnd: resolution?.choice === 'DISCARD' && whose.standing === 'lives' ? await hands.wishesEnd(agent) : 'no',
    holds: held[0]?.id ?? null,
    work:
      bead === undefined
        ? null
        : { id: bead.id, holder: holderOf(bead), isClosed: bead.status === 'closed', attempts: bead.attempts },
  };
}

async function perform(hands: TriageHands, one: TriageCase, act: TriageAct): Promise<string> {
  const { id, agent, resolution } = one;
  switch (act.act) {
    case 'save':
      return hands.save(agent, `Work that ${agent} left uncommitted`, { all: act.all, shown: act.shown });
    case 'leave':
      return hands.leave(agent);
    case 'discard': {
      const said: string[] = [];
      const kept = await hands.discard(agent, id, async () => {
        for (const next of act.then) said.push(await perform(hands, one, next));
      });
      return [kept, ...said].join('; ');
    }
    case 'nudge':
      await hands.nudge(agent, act.text);
      return `${agent} was nudged`;
    case 'goOn':
      await hands.nudge(agent, act.text);
      await noteGoesOn(hands, one);
      return `${agent} was nudged, and goes on`;
    case 'start':
      await hands.start(agent);
      return `${agent} was started`;
    case 'warrant':
      await hands.warrant(agent, `w-${id}`, act.reason);
      return `warrant w-${id} is filed against ${agent}: it is heard first`;
    case 'end':
      return hands.end(agent, act.reason);
    case 'mail': {
      const to = act.to === 'agent' ? agent : 'mayor';
      const what = act.to === 'agent' ? 'Guidance' : `Escalation: ${one.type} of ${agent === '' ? 'no agent' : agent}`;
      await hands.mail({ id: `m-${id}`, to, subject: what, body: bodyOf(one, act.text) });
      if (act.to === 'agent' || (await hands.hasMayor())) return `${to} has mail`;
      await escalated(hands, one, act.text);
      return `${to} has mail; no mayor lives, and a person was told`;
    }
    case 'escalate':
      await escalated(hands, one, act.why);
      return `a person was told: ${act.why}`;
    case 'close':
      return changed(hands, act.bead, (bead, at) =>
        closeOnce(bead, resolution?.note || `closed in triage (${id})`, at),
      );
    default:
      return changed(hands, act.bead, (bead, at) => {
        if ('from' in act && holderOf(bead) !== act.from) return bead;
        return worked(bead, act, at, hands.now());
      });
  }
}

/** Its witness watches it again like any other that works. */
async function noteGoesOn({ ledger, now }: TriageHands, { id, rig, agent }: TriageCase): Promise<void> {
  const author = hookOf(rig, agent, 'goes-on');
  await ledger.addEvidence({ id: `${author}-${id}`, author, kind: 'goes-on', text: id, at: now() });
}

/** Put before a person, who alone ends it. */
const escalated = (hands: TriageHands, one: TriageCase, why: string): Promise<void> =>
  hands.escalate({
    id: escalatedOf(one.id),
    title: `${one.type}: ${one.agent === '' ? one.id : one.agent}`,
    reason: bodyOf(one, why),
    related: one.id,
    endsWithIt: false,
  });

const bodyOf = ({ context, type, id }: TriageCase, text: string): string =>
  `${text}\n\nAbout ${id} (${type}):\n${context}\n`;

type OfWork = Extract<TriageAct, { act: 'reopen' | 'fail' | 'rest' }>;

function worked(bead: Bead, act: OfWork, at: string, now: number): Bead {
  const rest = 'restMs' in act && act.restMs > 0 ? { [REST_UNTIL]: new Date(now + act.restMs).toISOString() } : {};
  if (act.act === 'rest') return { ...bead, metadata: { ...bead.metadata, ...rest }, updatedAt: at };
  const isLast = act.act === 'fail';
  return afterAttempt(bead, { at, isLast, why: isLast ? act.why : 'decided in triage', rest });
}

async function changed(
  { ledger, now }: TriageHands,
  id: string,
  to: (bead: Bead, at: string) => Bead,
): Promise<string> {
  const bead = await changeBead(ledger, id, (one) => to(one, new Date(now()).toISOString()));
  if (bead === null) return `${id} is gone`;
  return `${id} is ${bead.status}${bead.metadata[REST_UNTIL] === undefined ? '' : ', and rests for now'}`;
}
