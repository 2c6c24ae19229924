/** What a patrol knows between two facts. */
import type { Instant, Ms, OrderId } from '../protocol.ts';
import type { Batch, Deed, PatrolRecord, RigLook, Stands } from '../protocol/patrols.ts';
import type { DeaconPolicy } from '../watchdog/policy.ts';
import type { Acting } from '../witness/acting.ts';
import type { Policies } from '../witness/cycle.ts';
import type { RoundsPolicy } from '../patrols/policy.ts';
import type { Steps } from './steps.ts';

/** P-1: one pace while an agent works, another while none does. */
export type Pace = RoundsPolicy & Pick<DeaconPolicy, 'activeMs' | 'idleMs'>;

export interface RoundInput {
  readonly policy: Pace;
  readonly policies: Policies;
  /** A rig, or `deacon`. */
  readonly of: string;
}

/** What a witness saw, and what it does about it. */
export interface UnderWay extends Acting {
  readonly seen: RigLook;
  /** What the town did for the agent that patrols here. */
  readonly watched: readonly Deed[];
  /** What stands for a person. */
  readonly claims: readonly Stands[];
  /** The acts of the order under way; null = none is left. */
  readonly batch: Batch | null;
}

export interface Asker {
  readonly rpc: string;
  readonly via: 'operator' | 'agent';
}

export interface RoundState extends RoundInput {
  /** null = it has not been read, or there was no cycle yet. */
  readonly record: PatrolRecord | null;
  /** When the last cycle of this town ended; null = this town had none yet. */
  readonly endedAt: Instant | null;
  /** The one order that it waits for. */
  readonly awaiting: OrderId | null;
  /** Of a witness; null = no acts are under way. */
  readonly cycle: UnderWay | null;
  /** Of the Deacon's round; null = it is not under way. */
  readonly steps: Steps | null;
  /** Callers that wait for the next cycle, and those that get the outcome of this one. */
  readonly callers: readonly Asker[];
  readonly served: readonly Asker[];
  /** Work, mail, a case or a session's end came since the cycle began: the next one follows at this pace; null = nothing came. */
  readonly wokenMs: Ms | null;
  readonly wakeAt: Instant | null;
}

/** The number of the cycle that is under way, or comes next. */
export const cycleOf = ({ record }: Pick<RoundState, 'record'>): number => (record?.cycle ?? 0) + 1;
