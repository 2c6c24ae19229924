/** Acts of patrols, and what came of them. */
import type { ActOutcome, TownActName } from '../../../machines/protocol/patrols.ts';
import type { CycleAct } from '../../../machines/witness/cycle-step.ts';
import { NO_ROOM } from '../../rigs/no-room.ts';
import { Failure } from '../../terminal/failure.ts';

/** Why an act was not done that a case asks a person about. */
export class CaseAsks extends Error {}

/** Of a witness. */
export type WitnessAct = ActOutcome<CycleAct['act']>;
/** Of the Deacon. */
export type TownAct = ActOutcome<TownActName>;

/**
 * Does it, and returns the outcome: an error says why it was not done. null = it was so already, which is not reported.
 */
export async function attempt<Act extends string>(
  what: Pick<ActOutcome<Act>, 'act' | 'about'>,
  work: () => Promise<string>,
): Promise<ActOutcome<Act>>;
export async function attempt<Act extends string>(
  what: Pick<ActOutcome<Act>, 'act' | 'about'>,
  work: () => Promise<string | null>,
): Promise<ActOutcome<Act> | null>;
export async function attempt<Act extends string>(
  what: Pick<ActOutcome<Act>, 'act' | 'about'>,
  work: () => Promise<string | null>,
): Promise<ActOutcome<Act> | null> {
  try {
    const text = await work();
    return text === null ? null : { ...what, done: true, text };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const asks = {
      ...(needsPerson(error) && { needsPerson: true }),
      ...(error instanceof CaseAsks && { isAsked: true }),
    };
    return { ...what, done: false, text, ...asks };
  }
}

/** It fails again until a person does something. */
export const needsPerson = (error: unknown): boolean => error instanceof Failure && error.code === NO_ROOM;
