/** Judges one look at the registered agents: a table of evidence alone, and who of the silent may be paged (T-1, T-5). Pure. */
import { span } from '../kernel/span.ts';
import type { Ms } from '../protocol.ts';
import type { AgentSeen, Page, Signals } from '../protocol/tickle.ts';
import { SCALE, type TicklePolicy } from './policy.ts';

export type Liveness = 'fresh' | 'stale' | 'resting';

/** T-5: fatigue shortens the threshold, confidence lengthens it. */
export function scaleOf(signals: Signals | null): number {
  const { fatigue, confidence } = signals ?? { fatigue: null, confidence: null };
  const longer = 1 + (SCALE.most - 1) * within01(confidence ?? 0);
  const shorter = 1 - (1 - SCALE.least) * within01(fatigue ?? 0);
  return Math.min(SCALE.most, Math.max(SCALE.least, longer * shorter));
}
const within01 = (value: number): number => Math.min(1, Math.max(0, value));

const thresholdOf = ({ signals }: Pick<AgentSeen, 'signals'>, { thresholdMs }: TicklePolicy): Ms =>
  thresholdMs * scaleOf(signals);

/** An agent whose bead has an empty hook rests. Any other one is judged by its silence alone. */
export function livenessOf(seen: Pick<AgentSeen, 'hook' | 'silentMs' | 'signals'>, policy: TicklePolicy): Liveness {
  if (seen.hook === 'empty') return 'resting';
  if (seen.silentMs === null) return 'stale';
  return seen.silentMs > thresholdOf(seen, policy) ? 'stale' : 'fresh';
}

/** A sign came since this page began, also by a wall clock that was set back; or there is no work that it could be silent about. */
export const isAnswered = (page: Page, { lastAt, silentMs, hook }: AgentSeen): boolean =>
  hook === 'empty' ||
  (lastAt !== null && (page.lastAt === null || lastAt > page.lastAt)) ||
  (silentMs !== null && silentMs < page.forMs);

/** Why a stale agent is not paged now, as the end of a sentence; null = it is. `sinceMs`: since Tickle started. */
export function whyNotPaged(
  seen: AgentSeen,
  page: Page | undefined,
  { sinceMs, policy }: { readonly sinceMs: Ms; readonly policy: TicklePolicy },
): string | null {
  if (seen.owner !== null) return `${seen.owner} looks after it`;
  if (seen.spared !== null) return seen.spared;
  if (page?.step === 'told') return 'a person was alerted of it';
  if (page !== undefined) return `it was paged ${span(page.forMs)} ago`;
  if (sinceMs < policy.graceMs) return 'the town started a moment ago';
  return seen.bornMs !== null && seen.bornMs < policy.graceMs ? 'it was started a moment ago' : null;
}
