/**
 * What becomes of escalations (P-11): a table over one look at the open ones, without a machine.
 * 1. A loud one reaches the mayor and a person, once at each severity.
 * 2. Without an acknowledgement it climbs a step after its time, a limited number of times, up to the highest severity.
 * 3. The end of its cause may end it (law 8): then it climbs no further, acknowledged or not.
 * 4. Each gets at most one act a cycle: the next cycle sees the result, and goes on from there.
 */
import type { Ms } from '../protocol.ts';
import type { PatrolPolicy } from './policy.ts';

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const LOUD: ReadonlySet<Severity> = new Set(['high', 'critical']);
/** Whether the mayor and a person are told of it at once. */
export const isLoud = (severity: Severity): boolean => LOUD.has(severity);

/** One that is open. */
export interface EscalationSeen {
  readonly id: string;
  readonly severity: Severity;
  /** It is acknowledged, and rests. */
  readonly isAcked: boolean;
  /** What it is about is closed, and it was raised until then. */
  readonly isOver: boolean;
  /** Since it was raised, or since it climbed last. */
  readonly restedMs: Ms;
  /** How often it climbed. */
  readonly climbs: number;
  /** The severity at which the mayor and a person were told last; null = they were not. */
  readonly toldAt: Severity | null;
}

export type EscalationAct =
  | { readonly act: 'climb'; readonly escalation: string; readonly from: Severity; readonly to: Severity }
  | { readonly act: 'end'; readonly escalation: string }
  /** The mayor and a person are told. */
  | { readonly act: 'pass'; readonly escalation: string; readonly severity: Severity };

type Policy = Pick<PatrolPolicy, 'escalationClimbMs' | 'maxClimbs'>;

export const escalationActs = (open: readonly EscalationSeen[], policy: Policy): EscalationAct[] =>
  open.flatMap((one): EscalationAct[] => {
    const { id: escalation, severity, isAcked, isOver, toldAt } = one;
    if (isOver) return [{ act: 'end', escalation }];
    if (isAcked) return [];
    const to = nextOf(one, policy);
    if (to !== null) return [{ act: 'climb', escalation, from: severity, to }];
    return isLoud(severity) && toldAt !== severity ? [{ act: 'pass', escalation, severity }] : [];
  });

/** What it climbs to now; null = it stays. */
function nextOf({ severity, restedMs, climbs }: EscalationSeen, policy: Policy): Severity | null {
  if (restedMs < policy.escalationClimbMs || climbs >= policy.maxClimbs) return null;
  return SEVERITIES[SEVERITIES.indexOf(severity) + 1] ?? null;
}
