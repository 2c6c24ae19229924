/** Escalations: wisps that ask a person or the mayor, by severity, until one of them acknowledges it. */
import type { Bead, NewBead } from '../../machines/ledger/bead.ts';
import { SEVERITIES, type EscalationSeen, type Severity } from '../../machines/patrols/escalations.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { age } from '../ports/age.ts';

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

const severityIn = (word: string | undefined): Severity | null => SEVERITIES.find((one) => one === word) ?? null;
const DEFAULT: Severity = 'medium';

/** The bead whose end ends it; null = a person alone does. */
export const endsWith = ({ metadata }: Bead): string | null => metadata[ENDS_WITH] ?? null;

/** How often it climbed. */
const climbsOf = ({ metadata }: Bead): number => Number(metadata['climbs'] ?? 0) || 0;

/** The letter that announced it, when it was raised or after it climbed so often. */
export const letterOf = (id: string, climbs: number): string => (climbs === 0 ? `m-${id}` : `m-${id}-${climbs}`);
export const lettersAbout = (bead: Bead): string[] =>
  Array.from({ length: climbsOf(bead) + 1 }, (_, climbs) => letterOf(bead.id, climbs));
/** The id of a letter that a caller wrote. */
const WRITTEN = /^m-\d+-[0-9a-f]{8}$/;
/** The escalations that a letter may be of; none if a caller wrote it. */
export function toldBy(letter: string): string[] {
  if (!letter.startsWith('m-') || WRITTEN.test(letter)) return [];
  const id = letter.slice('m-'.length);
  return [id, id.replace(/-\d+$/, '')];
}

/** As the patrol sees it. One whose writer named no severity that we know is of the middle one. */
export function escalationOf(bead: Bead, now: number): Omit<EscalationSeen, 'isOver'> {
  const { id, metadata, labels, createdAt } = bead;
  const label = labels.find((one) => one.startsWith(SEVERITY))?.slice(SEVERITY.length);
  const climbedAt = Date.parse(metadata['climbed_at'] ?? '');
  const since = Number.isNaN(climbedAt) ? Date.parse(createdAt) : climbedAt;
  return {
    id,
    severity: severityIn(metadata['severity']) ?? severityIn(label) ?? DEFAULT,
    isAcked: isAcked(bead),
    restedMs: age(since, now),
    climbs: climbsOf(bead),
    toldAt: severityIn(metadata['told_severity']),
  };
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
  const seen = escalationOf(bead, 0);
  const isGraver = SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(seen.severity);
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
  const raised = withMetadata(counted, { severity, climbs: String(seen.climbs + 1), climbed_at: at }, at);
  return {
    ...raised,
    labels: [...labels, `${SEVERITY}${severity}`],
    priority: Math.min(bead.priority, PRIORITY[severity]),
  };
}

/** Raises the severity a step, unless it climbed or was acknowledged since the look. */
export function climb(bead: Bead, { from, to }: { readonly from: Severity; readonly to: Severity }, at: string): Bead {
  const { severity, isAcked: wasSeen, climbs } = escalationOf(bead, Date.parse(at));
  if (severity !== from || wasSeen || bead.status === 'closed') return bead;
  const labels = [...bead.labels.filter((label) => !label.startsWith(SEVERITY)), `${SEVERITY}${to}`];
  const climbed = withMetadata(bead, { severity: to, climbs: String(climbs + 1), climbed_at: at }, at);
  return { ...climbed, labels, priority: Math.min(bead.priority, PRIORITY[to]) };
}

/** The mayor and a person have it as it stands. */
export const markPassed = (bead: Bead, severity: Severity, at: string): Bead =>
  bead.metadata['told_severity'] === severity ? bead : withMetadata(bead, { told_severity: severity, told_at: at }, at);
