/**
 * A triage request: a case that no table decides, kept as a bead until a decision picks one of its options. Each type's
 * options are fixed here; a request that offers more is cut down to them.
 */
import type { Signature } from '../ledger/bead.ts';
import type { Plan } from './plan.ts';

export const CHOICES = [
  ...([
    'COMMIT_AND_PUSH',
    'CONTINUE',
    'DISCARD',
    'NUDGE',
    'RESTART',
    'RESTART_WITH_BACKOFF',
    'REASSIGN',
    'CLOSE_BEAD',
  ] as const),
  ...(['PROVIDE_GUIDANCE', 'ESCALATE_TO_MAYOR', 'ESCALATE'] as const),
] as const;
export type Choice = (typeof CHOICES)[number];

export const TRIAGE_TYPES = [
  ...(['dirty_polecat', 'stuck_agent', 'help_request', 'queue_health', 'zombie_confirm', 'crash_loop'] as const),
  'escalation',
] as const;
export type TriageType = (typeof TRIAGE_TYPES)[number];

export const OPTIONS: Readonly<Record<TriageType, readonly Choice[]>> = {
  dirty_polecat: ['COMMIT_AND_PUSH', 'CONTINUE', 'DISCARD', 'ESCALATE'],
  stuck_agent: ['NUDGE', 'RESTART', 'RESTART_WITH_BACKOFF', 'ESCALATE'],
  help_request: ['PROVIDE_GUIDANCE', 'ESCALATE_TO_MAYOR'],
  queue_health: ['NUDGE', 'RESTART', 'ESCALATE'],
  zombie_confirm: ['RESTART', 'REASSIGN', 'CLOSE_BEAD', 'ESCALATE'],
  crash_loop: ['RESTART_WITH_BACKOFF', 'REASSIGN', 'ESCALATE_TO_MAYOR'],
  escalation: ['ESCALATE_TO_MAYOR', 'ESCALATE', 'CLOSE_BEAD'],
};

/** What comes of each choice, in words for the person who chooses. */
export const MEANINGS: Readonly<Record<Choice, string>> = {
  COMMIT_AND_PUSH: 'commit what is uncommitted, and push its branch',
  CONTINUE: 'keep its worktree: it goes on, or the next agent does',
  DISCARD: 'remove its worktree; what was in it stays under a ref',
  NUDGE: 'type your text to it, or ask how far it is',
  RESTART: 'hear it; the work of a dead one goes to the next agent',
  RESTART_WITH_BACKOFF: 'as RESTART, after a rest',
  REASSIGN: 'give its work to the next agent; a living one is heard first',
  CLOSE_BEAD: 'close its work',
  PROVIDE_GUIDANCE: 'send it your text',
  ESCALATE_TO_MAYOR: 'send the case to the mayor',
  ESCALATE: 'make it an escalation, for a person',
};

/** Choices that mean nothing without the decider's words. */
const NEEDS_WORDS: ReadonlySet<Choice> = new Set(['PROVIDE_GUIDANCE']);
export const needsWords = (choice: Choice): boolean => NEEDS_WORDS.has(choice);

/** Whether the case shows all that a choice gives: what is published once cannot be taken back, and its diff stands in no case. */
export const showsAll = (choice: Choice): boolean => choice !== 'COMMIT_AND_PUSH';

/** The choice, its author and its words, which are data for every receiver. */
export interface Resolution {
  readonly choice: Choice;
  readonly by: string;
  readonly via: Signature['via'];
  readonly note: string;
  /** Of COMMIT_AND_PUSH: publishes what is refused else, which the operator alone may want. */
  readonly all?: true | undefined;
  /** Of a reasoner's COMMIT_AND_PUSH: the mark of what it was shown. */
  readonly shown?: string | undefined;
  /** RFC 3339. */
  readonly at: string;
}

/** `resolved`: chosen, and not carried out yet. */
export type CaseState = 'open' | 'resolved' | 'closed';

export interface TriageCase {
  /** Of its bead. */
  readonly id: string;
  readonly type: TriageType;
  /** The agent it is about, written like an assignee; empty = none. */
  readonly agent: string;
  readonly rig: string;
  readonly options: readonly Choice[];
  readonly state: CaseState;
  /** What was seen when it was asked for. */
  readonly context: string;
  /** The bead on the agent's hook then; null = none. */
  readonly snapshot: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** How often it was shown to a reasoner. */
  readonly tries: number;
  /** A person decides, and no reasoner. */
  readonly isPersons: boolean;
  /** A person was told of it. */
  readonly wasTold: boolean;
  readonly resolution: Resolution | null;
  /** Of what was chosen; null = nothing was done yet. */
  readonly plan: Plan | null;
  /** What came of it, or why it could not be done; empty = nothing yet. */
  readonly outcome: string;
  /** What its bead says without a record of a door, in words for a person; null = nothing. Such a case is no reasoner's. */
  readonly unproven: string | null;
}
