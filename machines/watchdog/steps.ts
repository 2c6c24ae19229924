/** What the daemon does at each tick (C-1), as data, and which episodes a configuration can raise at all. Pure. */
import { who } from './matrix.ts';
import type { WatchdogPolicy } from './policy.ts';
import type { OrderBody, SessionSpec } from '../protocol.ts';

export interface DaemonInput {
  readonly policy: WatchdogPolicy;
  /** null = the Deacon is an actor. */
  readonly deacon: SessionSpec | null;
  /** Whether only the operator ends this session. */
  readonly isProtected: (session: string) => boolean;
}

/** The seed's steps in their order. Witnesses and refineries keep their place: nothing is to do for them here. */
export const STEPS = ['boot', 'deacon', 'witnesses', 'refineries', 'discovery', 'lifecycle'] as const;
export type Step = (typeof STEPS)[number];

/** The order of one step; null = there is nothing to do for it here. */
export function orderOf(step: Step, { policy, deacon }: Pick<DaemonInput, 'policy' | 'deacon'>): OrderBody | null {
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

/** What its ticks tell of, by kind. */
export type Ticked = 'deacon-silent' | 'deacon-down' | 'daemon-step';

/** The subjects that the daemon can alert about, by kind. */
export function watchedIn(context: DaemonInput): Readonly<Record<Ticked, readonly string[]>> {
  const { policy, deacon } = context;
  return {
    'deacon-silent': policy.deaconCheck ? [who(context)] : [],
    'deacon-down': deacon === null ? [] : [deacon.name],
    'daemon-step': STEPS.filter((step) => orderOf(step, context) !== null),
  };
}
