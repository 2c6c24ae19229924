/** What a cycle of a witness wants: acts of its own and of the patrol, step by step. */
import type { PatrolAct } from '../patrols/dispatch.ts';
import type { WitnessAct } from './observation.ts';

export type CycleAct = WitnessAct | PatrolAct;

export interface CycleStep {
  readonly step: string;
  readonly acts: readonly CycleAct[];
}
