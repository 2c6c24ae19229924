/**
 * What a choice leads to (P-15): a table over the state when it is carried out, not when it was asked.
 * 1. An agent that moved on is spared: one with other work by now, or another agent under the name.
 * 2. No agent is ended here: a restart of a living one is a warrant, which is heard like any other.
 * 3. Work with used-up attempts is not given out again, unless the decider wants it to rest first. It has failed, and a
 *    person is alerted.
 * 4. Unknown is no answer: it waits.
 * 5. ESCALATE of a reasoner decides nothing: the case stays open, and a person chooses among its options.
 * 6. DISCARD of a living agent that wishes its own end ends that agent first, and goes on after. Without such a wish a
 *    person decides.
 */
import type { PatrolPolicy } from '../patrols/policy.ts';
import type { Ms } from '../protocol.ts';
import type { Choice, Resolution, TriageCase } from './cases.ts';
import type { TriageAct } from './plan.ts';
import type { TriagePolicy } from './policy.ts';

/** What is so now. */
export interface World {
  /** State of the agent's session; `none`: the case has no agent. */
  readonly standing: 'lives' | 'ended' | 'none' | 'unknown';
  /** Another agent has the name by now. */
  readonly isAnother: boolean;
  /** The life that runs said by its own token that it is done, and rests at its prompt. */
  readonly wishesEnd: 'yes' | 'no' | 'unknown';
  /** What is on the hook of the agent; null = nothing. */
  readonly holds: string | null;
  /** The bead of the snapshot; null = there was none, or it is gone. */
  readonly work: {
    readonly id: string;
    readonly holder: string | null;
    readonly isClosed: boolean;
    readonly attempts: number;
  } | null;
}

/**
 * `begin`: the act comes first, and what was chosen is decided anew once it has come about. `leave`: the case stays open, for a person.
 * `wait`: not now. `none`: it needs nothing any more.
 */
export type Decided =
  | { readonly is: 'do'; readonly acts: readonly TriageAct[] }
  | { readonly is: 'begin'; readonly act: TriageAct; readonly why: string }
  | { readonly is: 'leave' | 'wait' | 'none'; readonly why: string };

const doing = (...acts: TriageAct[]): Decided => ({ is: 'do', acts });

/** `redispatchAttempts`: attempts before work has failed, as in dispatch. */
export type ActPolicy = Pick<TriagePolicy, 'backoffMs' | 'maxBackoffMs'> & Pick<PatrolPolicy, 'redispatchAttempts'>;

interface Ground {
  readonly of: TriageCase;
  readonly world: World;
  readonly policy: ActPolicy;
  readonly resolution: Resolution;
}
type Rule = (ground: Ground) => Decided;

const words = ({ note }: Resolution, otherwise: string): string => (note.trim() === '' ? otherwise : note.trim());

const because = ({ of, resolution: { by, note } }: Ground): string =>
  `${by} chose it in triage (${of.id}, ${of.type})${note.trim() === '' ? '' : `: ${note.trim()}`}`;

const untold = ({ of }: Ground): Decided => ({ is: 'wait', why: `whether ${of.agent} lives is not known` });

/** P-12, P-15: a rest is what such work is given then. */
const isUsedUp = ({ resolution, policy }: Ground, { attempts }: NonNullable<World['work']>): boolean =>
  resolution.choice !== 'RESTART_WITH_BACKOFF' && attempts + 1 >= policy.redispatchAttempts;

/** Opens the work of a dead agent for the next one, or marks it failed. */
function takenBack(
  ground: Ground,
  work: NonNullable<World['work']>,
  restMs: Ms,
): Exclude<TriageAct, { readonly act: 'discard' }>[] {
  const taken = { bead: work.id, from: ground.of.agent };
  if (!isUsedUp(ground, work)) return [{ act: 'reopen', ...taken, restMs }];
  const why = `${work.attempts + 1} attempts came to nothing`;
  // The alert comes first: afterwards the failed work has no owner, and a second try finds nothing to do.
  return [
    { act: 'escalate', why },
    { act: 'fail', ...taken, why },
  ];
}

/** A living agent is heard; a dead one loses its work to the next. */
function again(ground: Ground, restMs: Ms): Decided {
  const { of, world } = ground;
  const { work, standing } = world;
  if (standing === 'unknown') return untold(ground);
  if (standing === 'lives') {
    const rest: TriageAct[] = work === null || restMs === 0 ? [] : [{ act: 'rest', bead: work.id, restMs }];
    const told: TriageAct[] =
      work !== null && isUsedUp(ground, work) ? [{ act: 'escalate', why: `${work.id} has used up its attempts` }] : [];
    return doing(...rest, ...told, { act: 'warrant', reason: because(ground) });
  }
  if (of.type === 'queue_health') return doing({ act: 'start' });
  if (work === null) return { is: 'none', why: `${of.agent} does not run, and had no work` };
  return doing(...takenBack(ground, work, restMs));
}

/** What was done came to nothing. Where it lives, and does not wish its end, the hands refuse and say so. */
function discard(ground: Ground): Decided {
  const { agent } = ground.of;
  const { work, standing, wishesEnd } = ground.world;
  if (standing === 'unknown') return untold(ground);
  if (standing === 'lives' && wishesEnd === 'unknown')
    return { is: 'wait', why: `whether ${agent} rests at its prompt is not known` };
  if (standing === 'lives' && wishesEnd === 'yes') {
    const reason = `it is done, as it says, and ${because(ground)}`;
    return { is: 'begin', act: { act: 'end', reason }, why: `${agent} ends first, as it wishes itself` };
  }
  const isOver = standing !== 'lives' && work !== null && work.holder === agent && !work.isClosed;
  return doing({ act: 'discard', then: isOver ? takenBack(ground, work, 0) : [] });
}

/** The next one at the same work goes on in its worktree (P-13). */
function goOn(ground: Ground): Decided {
  const { of, world, resolution } = ground;
  const { work, standing } = world;
  if (standing === 'unknown') return untold(ground);
  if (standing === 'lives')
    return doing({ act: 'goOn', text: words(resolution, 'Go on with what is in your worktree, and finish it.') });
  if (work === null) return { is: 'none', why: `${of.agent} had no work that another one could go on with` };
  if (work.isClosed) return { is: 'none', why: `its work ${work.id} is closed by now` };
  if (work.holder === null) return doing({ act: 'leave' });
  if (work.holder !== of.agent) return { is: 'none', why: `${work.id} is the work of ${work.holder} by now` };
  return doing({ act: 'leave' }, ...takenBack(ground, work, 0));
}

/** Doubled with each attempt so far. */
const backoff = ({ world, policy }: Ground): Ms =>
  Math.min(policy.maxBackoffMs, policy.backoffMs * 2 ** Math.min(world.work?.attempts ?? 0, 20));

/** One without a mark was shown nothing: no worktree fits that. */
const ofReasoner = (shown = ''): TriageAct => ({ act: 'save', all: false, shown });

const RULES: Readonly<Record<Choice, Rule>> = {
  COMMIT_AND_PUSH: ({ resolution: { all, via, shown } }) =>
    via === 'operator' ? doing({ act: 'save', all: all === true, shown: null }) : doing(ofReasoner(shown)),
  CONTINUE: goOn,
  DISCARD: discard,
  NUDGE: (ground) => {
    const { of, world, resolution } = ground;
    if (world.standing === 'unknown') return untold(ground);
    if (world.standing !== 'lives') return { is: 'none', why: `${of.agent} does not run any more` };
    const text = words(resolution, 'Your case was looked into: report your progress, or say what blocks you.');
    return doing({ act: 'nudge', text });
  },
  RESTART: (ground) => again(ground, 0),
  RESTART_WITH_BACKOFF: (ground) => again(ground, backoff(ground)),
  REASSIGN: (ground) => again(ground, 0),
  CLOSE_BEAD: ({ of, world: { work } }) => {
    const bead = work?.id ?? null;
    return bead === null ? { is: 'none', why: `no bead of ${of.id} is there any more` } : doing({ act: 'close', bead });
  },
  PROVIDE_GUIDANCE: ({ resolution, world: { standing } }) => {
    const text = resolution.note.trim();
    const nudge: TriageAct[] = standing === 'lives' ? [{ act: 'nudge', text }] : [];
    return doing({ act: 'mail', to: 'agent', text }, ...nudge);
  },
  ESCALATE_TO_MAYOR: (ground) => doing({ act: 'mail', to: 'mayor', text: because(ground) }),
  ESCALATE: (ground) =>
    ground.resolution.via === 'operator'
      ? doing({ act: 'escalate', why: because(ground) })
      : { is: 'leave', why: because(ground) },
};

/** Choices that send the case to a mayor or person, in any state of the agent. */
const TELLS: ReadonlySet<Choice> = new Set(['ESCALATE_TO_MAYOR', 'ESCALATE']);
/** Of these the work may have gone to the refinery, and they still mean the worktree. */
const OF_WORKTREE: ReadonlySet<Choice> = new Set(['COMMIT_AND_PUSH', 'CONTINUE', 'DISCARD']);

function movedOn({ of, world, resolution: { choice } }: Ground): string | null {
  if (of.type === 'escalation' || TELLS.has(choice)) return null;
  if (world.isAnother) return `another ${of.agent} has its name by now`;
  if (choice === 'PROVIDE_GUIDANCE' || of.type === 'queue_health' || OF_WORKTREE.has(choice)) return null;
  if (of.snapshot === null)
    return world.holds === null ? null : `${of.agent} has work by now, which it had not: ${world.holds}`;
  const { work } = world;
  if (work === null) return `its work ${of.snapshot} is gone`;
  if (work.isClosed) return `its work ${work.id} is closed by now`;
  return work.holder === of.agent ? null : `${work.id} is not on the hook of ${of.agent} any more`;
}

/** What is to be done about a resolved case now. */
export function actsOf(of: TriageCase, resolution: Resolution, world: World, policy: ActPolicy): Decided {
  const ground = { of, world, policy, resolution };
  const why = movedOn(ground);
  return why === null ? RULES[resolution.choice](ground) : { is: 'none', why };
}
