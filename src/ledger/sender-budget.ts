/**
 * What one sender escalates: the same once more counts on the one that is open, and what exceeds the budget of an hour is one escalation
 * with a count. The words of each are kept as evidence, since the one that stands for many shows only the last.
 */
import type { Official } from '../../machines/ledger/bead.ts';
import { ESCALATION_BUDGET } from '../../machines/patrols/policy.ts';
import type { Severity } from '../../machines/protocol.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { age } from '../ports/age.ts';
import { newWrite } from './ids.ts';
import { countOpen, raise, type Raised } from './raise.ts';
import { evidenceOf, first } from './walk.ts';

const RAISED = 'raised';
const COUNTED = 'counted';
/** Who remembers what a sender escalated; no session and no address has such a name. */
export const authorOf = (sender: string, what: typeof RAISED | typeof COUNTED): string =>
  `escalations/${what}/${sender}`;

interface Escalated {
  readonly title: string;
  readonly reason: string;
  readonly severity: Severity;
  readonly related: string | null;
  readonly by: string;
  readonly now: number;
  /** Absent = it has one. */
  readonly hasBudget?: boolean;
  readonly official?: Official;
}

/** `isOver`: it exceeds the budget of its sender. */
export type SenderRaised = Raised & { readonly isOver: boolean };

export async function raiseBySender(ledger: Ledger, wanted: Escalated): Promise<SenderRaised> {
  const { title, reason, severity, related, by, now, hasBudget = true, official } = wanted;
  const signed = { by, rig: '', now, ...(official && { official }) };
  const same = fingerprint([by, title, related ?? ''].join('\n'));
  const label = `about:escalated/${same}`;
  const isOver = hasBudget && (await countOpen(ledger, label)) === 0 && (await isSpent(ledger, by, now));
  const words = isOver
    ? { text: overText(by, title), body: [title, reason].filter((part) => part !== '').join('\n\n') }
    : { text: title, body: reason, related };
  const cause = isOver ? budgetOf(by) : { label, author: `escalations/${same}` };
  const raised = await raise(ledger, cause, { ...words, severity, count: 'more' }, signed);
  const isRaised = raised.is === 'new' && !isOver;
  const text = JSON.stringify({ escalation: raised.bead.id, title, severity, related, reason }).slice(
    0,
    LEDGER.maxText,
  );
  const kept = isRaised ? RAISED : COUNTED;
  await ledger.addEvidence({ id: newWrite(), author: authorOf(by, kept), kind: kept, text, at: now });
  return { ...raised, isOver };
}

const budgetOf = (by: string) => {
  const name = `escalations-over/${fingerprint(by)}`;
  return { label: `about:${name}`, author: name };
};
const overText = (by: string, title: string): string =>
  `${by} escalated more than ${ESCALATION_BUDGET.count} things within an hour; the last: ${title}`;

/** Whether so many were raised within the hour. */
async function isSpent(ledger: Ledger, by: string, now: number): Promise<boolean> {
  const { count, withinMs } = ESCALATION_BUDGET;
  const oldest = (await first(evidenceOf(ledger, authorOf(by, RAISED), count), count))[count - 1];
  return oldest !== undefined && age(oldest.at, now) < withinMs;
}
