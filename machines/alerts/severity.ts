/** How grave an alert or an escalation is, and which of them a person hears of at once. */
import type { Severity } from '../protocol.ts';

/** The least grave first. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const satisfies readonly Severity[];

/** Of an escalation whose sender names none. */
export const USUAL_SEVERITY = 'medium' satisfies Severity;

interface Graded {
  readonly severity: Severity;
}
export const rank = ({ severity }: Graded): number => SEVERITIES.indexOf(severity);
export const isLoud = ({ severity }: Graded): boolean => severity === 'high' || severity === 'critical';

/** So many steps graver; the gravest at most. */
export const graver = (one: Graded, steps: number): Severity => SEVERITIES[rank(one) + steps] ?? 'critical';
