/**
 * The acts of a choice, each by an order of the Deacon's round. Each act is safe to be done again: warrants, letters and escalations have
 * an id that comes of the case's, a life is nudged once for a choice, beads change by what stands there, and git work goes on where it
 * was cut off. What is refused goes to a person, with the reason; what is unknown yet waits.
 */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import { closeOnce, holderOf, isHeldBy } from '../../machines/ledger/changes.ts';
import type { ActOutcome } from '../../machines/protocol/patrols.ts';
import type { Resolution, TriageCase } from '../../machines/triage/cases.ts';
import { actsOf, type ActPolicy, type Decided, type World } from '../../machines/triage/acts.ts';
import type { Plan, TriageAct } from '../../machines/triage/plan.ts';
import { textOf, type Disk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { keepNote } from '../../state/patrols/notes.ts';
import { changeBead } from '../ledger/change.ts';
import { heldBy } from '../ledger/hook.ts';
import { escalation } from '../ledger/escalations.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { caseCalled, leaveToPerson, planCase, reopenCase } from './resolve.ts';
import { closeCase, decisionOf, escalatedOf } from './requests.ts';
import { afterAttempt, REST_UNTIL } from '../ledger/attempts.ts';

export interface Letter {
  /** The same letter once more has the same. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/** What the hands of the caller do; all throw with one sentence where it is refused. */
export interface TriageHands {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly now: () => number;
  readonly policy: ActPolicy;
  /** Of the agent's session, and whether another one has its name since then (wall ms). */
  readonly standing: (agent: string, since: number) => Promise<Pick<World, 'standing' | 'isAnother'>>;
  /** Its life said by its own token that it is done, and rests at its prompt. */
  readonly wishesEnd: (agent: string) => Promise<World['wishesEnd']>;
  /** Asks for the end of its life at its own wish; once more for the same life is fine. Rejects where it goes on for long. */
  readonly end: (agent: string, reason: string) => Promise<string>;
  /** Once since then (wall ms), for a life. */
  readonly nudge: (agent: string, text: string, since: number) => Promise<void>;
  /** The session of a rig's own. */
  readonly start: (agent: string) => Promise<void>;
  readonly warrant: (agent: string, id: string, reason: string) => Promise<void>;
  readonly mail: (letter: Letter) => Promise<void>;
  /** The mayor's mailbox has a reader. */
  readonly hasMayor: () => Promise<boolean>;
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

/** What became of one act of a choice. `isMore`: acts of it are left, each an order of its own. */
export interface CarriedOut {
  readonly outcome: ActOutcome<'resolve'>;
  readonly isMore: boolean;
}

/**
 * Carries out the next act of what was chosen. What a choice leads to is decided once, and kept with its case beside what each act came
 * to: a killed town goes on with the act that it was at.
 */
export async function carryOut(hands: TriageHands, id: string): Promise<CarriedOut> {
  const one = await caseCalled(hands.ledger, id);
  if (one.resolution === null || one.state !== 'resolved') return over(id, one.outcome || 'nothing was chosen');
  try {
    const world = await worldOf(hands, one);
    const plan = one.plan ?? actsOf(one, one.resolution, world, hands.policy);
    return 'is' in plan ? await begin(hands, one, plan) : await goOn(hands, one, world, plan);
  } catch (error) {
    return refused(hands, one, one.resolution, error);
  }
}

/** `id`: of the case. */
const over = (id: string, text: string): CarriedOut => ({
  outcome: { act: 'resolve', about: id, done: true, text },
  isMore: false,
});
const waiting = (id: string, text: string): CarriedOut => ({
  outcome: { act: 'resolve', about: id, done: false, text },
  isMore: false,
});

async function begin(hands: TriageHands, one: TriageCase, decided: Decided): Promise<CarriedOut> {
  const { ledger, now } = hands;
  switch (decided.is) {
    case 'wait':
      return waiting(one.id, decided.why);
    case 'begin':
      return over(one.id, `${decided.why}: ${await perform(hands, one, decided.act)}`);
    case 'leave':
      await tellPerson(hands, one, decided.why);
      await leaveToPerson(ledger, one.id, decided.why, now());
      return over(one.id, `a person decides: ${decided.why}`);
    case 'none':
      return close(hands, one, [`nothing was done: ${decided.why}`]);
    case 'do': {
      const plan: Plan = { acts: decided.acts, said: [] };
      await planCase(ledger, one.id, plan, now());
      return act(hands, one, plan);
    }
  }
}

/** A kill came between two acts. */
const goOn = (hands: TriageHands, one: TriageCase, { isAnother }: World, plan: Plan): Promise<CarriedOut> =>
  isAnother ? close(hands, one, [...plan.said, `another ${one.agent} has its name by now`]) : act(hands, one, plan);

async function act(hands: TriageHands, one: TriageCase, { acts, said }: Plan): Promise<CarriedOut> {
  const next = acts[said.length];
  if (next === undefined) return close(hands, one, said);
  const text = await perform(hands, one, next);
  if (said.length + 1 === acts.length) return close(hands, one, [...said, text]);
  await planCase(hands.ledger, one.id, { acts, said: [...said, text] }, hands.now());
  return { ...over(one.id, text), isMore: true };
}

async function close({ ledger, now }: TriageHands, { id }: TriageCase, said: readonly string[]): Promise<CarriedOut> {
  const text = said.join('; ');
  await closeCase(ledger, id, text, now());
  return over(id, text);
}

/** A person decides, unless what is in the way passes by itself. */
async function refused(
  hands: TriageHands,
  one: TriageCase,
  { choice, via }: Resolution,
  error: unknown,
): Promise<CarriedOut> {
  const text = textOf(error);
  if (hands.isTransient(error)) return waiting(one.id, text);
  if (via !== 'operator') await tellPerson(hands, one, `${choice} was not done: ${text}`, 'refused');
  const failure = error instanceof Failure ? error : new Failure(EXIT.failed, 'not_done', text);
  await reopenCase(hands.ledger, one.id, failure, hands.now());
  return waiting(one.id, text);
}

/** In whose name triage writes. */
const TRIAGE = 'triage';

type Escalating = Pick<TriageHands, 'ledger' | 'now'>;

interface CaseEscalation {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  /** The case. */
  readonly related: string;
  /** It is over once the case is closed. */
  readonly endsWithIt: boolean;
}

/** Once for an id. */
async function escalate({ ledger, now }: Escalating, { id, ...cause }: CaseEscalation): Promise<void> {
  const at = new Date(now()).toISOString();
  const bead = newBead({ ...escalation({ ...cause, severity: 'high', by: TRIAGE, at }), id });
  await ledger.put(bead, { expects: 0, write: `escalate-${id}` });
}

/** A person is told of a case, once for what it is about. */
export const tellPerson = (
  hands: Escalating,
  { id, type, agent, options, context }: TriageCase,
  why: string,
  about: 'undecided' | 'refused' = 'undecided',
): Promise<void> =>
  escalate(hands, {
    id: decisionOf(id, about),
    title: `decide about ${agent === '' ? id : agent}: ${type}`,
    reason: `${why}.\n\n${context}\n\nChoose: town triage resolve ${id} ${options.join('|')}`,
    related: id,
    endsWithIt: true,
  });

async function worldOf(hands: TriageHands, { agent, snapshot, createdAt, resolution }: TriageCase): Promise<World> {
  const [bead] = snapshot === null ? [] : await hands.ledger.beads([snapshot]);
  const whose =
    agent === ''
      ? ({ standing: 'none', isAnother: false } as const)
      : await hands.standing(agent, Date.parse(createdAt));
  const held = agent === '' ? [] : await heldBy(hands.ledger, agent);
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
  const since = Date.parse(resolution?.at ?? one.createdAt);
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
      await hands.nudge(agent, act.text, since);
      return `${agent} was nudged`;
    case 'goOn':
      await hands.nudge(agent, act.text, since);
      await noteGoesOn(hands, one);
      return `${agent} was nudged, and goes on`;
    case 'start':
      await hands.start(agent);
      return `${agent} was started`;
    case 'warrant':
      await hands.warrant(agent, `w-${id}`, act.reason);
      return `warrant w-${id} is filed against ${agent}: it is heard first`;
    case 'end':
      return `its end is asked for: ${await hands.end(agent, act.reason)}`;
    case 'mail': {
      const to = act.to === 'agent' ? agent : 'mayor';
      const what = act.to === 'agent' ? 'Guidance' : `Escalation: ${one.type} of ${agent === '' ? 'no agent' : agent}`;
      await hands.mail({ id: `m-${id}`, to, subject: what, body: bodyOf(one, act.text) });
      if (act.to === 'agent' || (await hands.hasMayor())) return `${to} has mail`;
      await escalated(hands, one, act.text);
      return `${to} has mail; no mayor lives, and a person was alerted`;
    }
    case 'escalate':
      await escalated(hands, one, act.why);
      return `a person was alerted: ${act.why}`;
    case 'close':
      return changed(hands, act.bead, (bead, at) =>
        closeOnce(bead, resolution?.note || `closed in triage (${id})`, at),
      );
    default:
      return changed(hands, act.bead, (bead, at) => {
        if ('from' in act && !isHeldBy(bead, act.from)) return bead;
        return worked(bead, act, at, hands.now());
      });
  }
}

/** Its witness watches it again like any other that works. */
const noteGoesOn = ({ disk, now }: TriageHands, { id, agent }: TriageCase): Promise<void> =>
  keepNote(disk, agent, 'hook-goes-on', { kind: 'goes-on', text: id, at: now() });

/** Put before a person, who alone ends it. */
const escalated = (hands: TriageHands, one: TriageCase, why: string): Promise<void> =>
  escalate(hands, {
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
