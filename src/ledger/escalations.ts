/**
 * Escalations: wisps that ask a person or the mayor until one of them acknowledges it. The bead says what its raiser said; how grave it
 * has become, and who was told, is the alerts actor's (machines/ledger/escalations.ts).
 */
import { SEVERITIES } from '../../machines/alerts/severity.ts';
import type { Bead, NewBead } from '../../machines/ledger/bead.ts';
import type { Severity } from '../../machines/protocol.ts';
import { LEDGER } from '../../state/ledger/policy.ts';

const PRIORITY: Readonly<Record<Severity, number>> = { low: 3, medium: 2, high: 1, critical: 0 };
export const ESCALATION = 'gt:escalation';
const ACKED = 'acked';
const SEVERITY = 'severity:';

export interface EscalationWanted {
  readonly title: string;
  readonly severity: Severity;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
  /** A bead that it is about; null = none. */
  readonly related: string | null;
  /** It is over once that bead is closed. */
  readonly endsWithIt?: boolean;
  /** By which it is found again. */
  readonly label?: string;
}

const ENDS_WITH = 'ends_with';

export function escalation(wanted: EscalationWanted): Omit<NewBead, 'id'> {
  const { title, severity, reason, by, at, related, endsWithIt = false, label } = wanted;
  const labels = [ESCALATION, `${SEVERITY}${severity}`, ...(label === undefined ? [] : [label])];
  const about = related !== null && { related_bead: related, ...(endsWithIt && { [ENDS_WITH]: related }) };
  return {
    title: title.slice(0, LEDGER.maxTitle),
    description: reason,
    priority: PRIORITY[severity],
    isWisp: true,
    wispType: 'escalation',
    labels,
    createdBy: by,
    createdAt: at,
    metadata: { severity, ...about },
  };
}

/** By which a patrol finds again that it told of a bead whose attempts are used up. */
export const failedLabel = (rig: string, bead: string): string =>
  `about:${rig}/failed/${bead}`.slice(0, LEDGER.maxWord);

/** The bead that an escalation is about; null = it is about none, or is no escalation. */
export function subjectIn(bead: Bead): string | null {
  const about = bead.metadata['related_bead'];
  return isEscalation(bead) && typeof about === 'string' && about !== bead.id ? about : null;
}

/** The bead whose attempts are used up, of an escalation that says so; null = it says something else. */
export function failedIn({ rig, labels, metadata }: Pick<Bead, 'rig' | 'labels' | 'metadata'>): string | null {
  const about = metadata['related_bead'];
  return typeof about === 'string' && labels.includes(failedLabel(rig, about)) ? about : null;
}

export const isEscalation = ({ labels }: Bead): boolean => labels.includes(ESCALATION);
export const isAcked = ({ labels }: Bead): boolean => labels.includes(ACKED);

/** Acknowledges it: it stays open and climbs no further. A second time changes nothing. */
export const acknowledge = (bead: Bead, by: string, at: string): Bead =>
  isAcked(bead) ? bead : { ...withMetadata(bead, { acked_by: by, acked_at: at }, at), labels: [...bead.labels, ACKED] };

const withMetadata = (bead: Bead, more: Bead['metadata'], at: string): Bead => ({
  ...bead,
  metadata: { ...bead.metadata, ...more },
  updatedAt: at,
});

/** One whose writer named no severity that we know is of the middle one. */
export function severityOf({ metadata, labels }: Bead): Severity {
  const label = labels.find((one) => one.startsWith(SEVERITY))?.slice(SEVERITY.length);
  return SEVERITIES.find((one) => one === metadata['severity']) ?? SEVERITIES.find((one) => one === label) ?? 'medium';
}

/** As a person reads it, in one line. */
export const questionOf = ({ createdBy, title }: Bead): string => `${createdBy} asks: ${title.replaceAll(/\s+/g, ' ')}`;

/** The bead whose end ends it; null = a person alone does. */
export const endsWith = ({ metadata }: Bead): string | null => metadata[ENDS_WITH] ?? null;

const TOLD_BY_LETTER = 'told_severity';
/** An earlier version told of it. */
export const isOlder = ({ metadata }: Bead): boolean => TOLD_BY_LETTER in metadata;

/** Of an earlier version: whether a letter announced one of these, which its id says, when it was raised or after it climbed so often. */
export function lettersOf(beads: readonly Bead[]): (letter: string) => boolean {
  const ids = new Set(beads.map(({ id }) => `m-${id}`));
  return (letter) => ids.has(letter) || ids.has(letter.replace(/-\d+$/, ''));
}

export function withoutOlder(bead: Bead, updatedAt: string): Bead {
  const { [TOLD_BY_LETTER]: _, told_at: _at, climbs: _climbs, climbed_at: _climbed, ...metadata } = bead.metadata;
  return { ...bead, metadata, updatedAt };
}

/** How many of its kind it speaks of; null = it was never counted. */
export const countOf = ({ metadata }: Bead): number | null => Number(metadata[COUNT] ?? 0) || null;
const COUNT = 'count';
export const withCount = (bead: Bead, count: number): Bead => ({
  ...bead,
  metadata: { ...bead.metadata, [COUNT]: String(count) },
});

interface Stand {
  readonly text: string;
  /** All that there is to read. */
  readonly body: string;
  readonly severity: Severity;
  /** `more`: once more; null = it is not counted. */
  readonly count: number | 'more' | null;
  readonly at: string;
}

/** How it stands by now: its words and count as they are, and graver where it was less grave (P-11). The same bead = as before. */
export function standing(bead: Bead, { text, body, severity, count, at }: Stand): Bead {
  if (bead.status === 'closed') return bead;
  const isGraver = SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(severityOf(bead));
  const next = count === 'more' ? (countOf(bead) ?? 1) + 1 : count;
  if (!isGraver && (next === null || next === countOf(bead))) return bead;
  const said = count === 'more' ? `${text} (${String(next)} times by now)` : text;
  // What occurred before stays to be read below what occurred now; the same words once more say no more.
  const { description: before } = bead;
  const isKnown = body === '' || before === body || before.startsWith(`${body}\n\n`);
  const more = `${body}\n\n${before}`.slice(0, Math.max(LEDGER.maxRepeated, body.length));
  const whole = count !== 'more' ? body : isKnown ? before : more;
  const fields = { title: said.slice(0, LEDGER.maxTitle), description: whole.slice(0, LEDGER.maxText), updatedAt: at };
  const counted = { ...(next === null ? bead : withCount(bead, next)), ...fields };
  if (!isGraver) return counted;
  const labels = counted.labels.filter((label) => label !== ACKED && !label.startsWith(SEVERITY));
  const raised = withMetadata(counted, { severity }, at);
  return {
    ...raised,
    labels: [...labels, `${SEVERITY}${severity}`],
    priority: Math.min(bead.priority, PRIORITY[severity]),
  };
}
