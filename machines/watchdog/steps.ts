/** What the daemon does at each tick (C-1), as data, and which episodes can be told at all under a configuration. Pure. */
import { ACTOR, BLOCKED, NO_COMMAND, UNREACHABLE } from './matrix.ts';
import type { Kind } from '../alerts/episodes.ts';
import type { WatchdogPolicy } from './policy.ts';
import type { OrderBody, SessionSpec } from '../protocol.ts';

export interface DaemonInput {
  readonly policy: WatchdogPolicy;
  /** null = the Deacon is an actor. */
  readonly deacon: SessionSpec | null;
}

/** The seed's steps in their order. Those with `later` have their place and wait for the part that they start. */
export const STEPS = [
  { step: 'boot' },
  { step: 'deacon' },
  { step: 'witnesses', later: 'the witnesses' },
  { step: 'refineries', later: 'the witnesses' },
  { step: 'discovery' },
  { step: 'lifecycle' },
] as const satisfies readonly { readonly step: string; readonly later?: string }[];
export type Step = (typeof STEPS)[number]['step'];

/** Kinds of episodes; the Deacon's name or the step follows. */
export const SILENT = 'deacon-silent/';
export const DOWN = 'deacon-down/';
export const STEP_FAILS = 'daemon-step/';

export const who = ({ deacon }: DaemonInput): string => deacon?.name ?? ACTOR;

/** The order of one step; null = there is nothing to do for it here. */
export function orderOf(step: Step, { policy, deacon }: DaemonInput): OrderBody | null {
  switch (step) {
    case 'boot':
      return policy.boot.enabled ? { type: 'announce', news: { type: 'BOOT_DUE' } } : null;
    case 'deacon':
      return policy.deaconCheck ? { type: 'observeDeacon', session: deacon?.name ?? null } : null;
    case 'discovery':
      return deacon === null ? null : { type: 'discover', names: [deacon.name] };
    case 'lifecycle':
      return { type: 'readDeaconMail' };
    case 'witnesses':
    case 'refineries':
      return null;
  }
}

/** Who can be told of, by kind: a start under another configuration ends all others, since nobody looks for them any more. */
export function watchedBy(context: DaemonInput): readonly Kind[] {
  const { policy, deacon } = context;
  const silent = policy.deaconCheck ? [who(context)] : [];
  const down = deacon === null ? [] : [deacon.name];
  const judged = policy.boot.enabled ? [who(context)] : [];
  return [
    { kind: SILENT, names: silent },
    { kind: DOWN, names: down },
    { kind: BLOCKED, names: judged },
    { kind: UNREACHABLE, names: judged },
    { kind: NO_COMMAND, names: deacon === null ? [] : judged },
    { kind: STEP_FAILS, names: STEPS.flatMap(({ step }) => (orderOf(step, context) === null ? [] : [step])) },
  ];
}
