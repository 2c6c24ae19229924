/** What the daemon does at each tick (C-1), as data, and which episodes can be told at all under a configuration. Pure. */
import { ACTOR } from './matrix.ts';
import type { WatchdogPolicy } from './policy.ts';
import type { EpisodeName, OrderBody, SessionSpec } from '../protocol.ts';

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

/** How that ends for which nobody looks under this configuration. */
export const UNWATCHED = 'It is not looked for any more: the configuration is another one.';

/** Which episodes the daemon can tell of at all, by kind. */
export function watchedIn(
  context: DaemonInput,
): Readonly<Record<'deacon-silent' | 'deacon-down' | 'daemon-step', readonly EpisodeName[]>> {
  const { policy, deacon } = context;
  const steps = STEPS.filter(({ step }) => orderOf(step, context) !== null);
  return {
    'deacon-silent': policy.deaconCheck ? [`${SILENT}${who(context)}`] : [],
    'deacon-down': deacon === null ? [] : [`${DOWN}${deacon.name}`],
    'daemon-step': steps.map(({ step }) => `${STEP_FAILS}${step}` as const),
  };
}
