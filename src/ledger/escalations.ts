/** Escalations: wisps that want a person's or the mayor's eyes, by severity, until somebody acknowledges them. */
import type { Bead, NewBead } from '../../machines/ledger/bead.ts';
import { LEDGER } from '../../state/ledger/policy.ts';

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const PRIORITY: Readonly<Record<Severity, number>> = { low: 3, medium: 2, high: 1, critical: 0 };
const ESCALATION = 'gt:escalation';
const ACKED = 'acked';

export interface EscalationWanted {
  readonly title: string;
  readonly severity: Severity;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
  /** A bead that it is about; null = none. */
  readonly related: string | null;
}

export const escalation = ({ title, severity, reason, by, at, related }: EscalationWanted): Omit<NewBead, 'id'> => ({
  ...{ title: title.slice(0, LEDGER.maxTitle), description: reason, priority: PRIORITY[severity] },
  ...{
    isWisp: true,
    wispType: 'escalation',
    labels: [ESCALATION, `severity:${severity}`],
    createdBy: by,
    createdAt: at,
  },
  metadata: { severity, ...(related !== null && { related_bead: related }) },
});

export const isEscalation = ({ labels }: Bead): boolean => labels.includes(ESCALATION);
const isAcked = ({ labels }: Bead): boolean => labels.includes(ACKED);

/** Somebody has seen it: it stays open and climbs no further. Once more changes nothing. */
export const acknowledge = (bead: Bead, by: string, at: string): Bead =>
  isAcked(bead)
    ? bead
    : {
        ...bead,
        labels: [...bead.labels, ACKED],
        metadata: { ...bead.metadata, acked_by: by, acked_at: at },
        updatedAt: at,
      };
