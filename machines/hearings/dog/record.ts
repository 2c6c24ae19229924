/** A dog as others see it: its durable part, and when its open window ends. */
import type { SnapshotFrom } from 'xstate';
import { wasAsked, lastedOf, seenMs, spentOf, windowMs } from '../dance.ts';
import type { dog } from './chart.ts';
import type { Dance, Instant, Stage } from '../../protocol.ts';

export type DogSnapshot = SnapshotFrom<typeof dog>;

/** The durable part of a dog, without what a restart loses. */
export const danceOf = ({ value, context: { dance, policy } }: DogSnapshot): Dance => ({
  ...dance,
  stage: stageOf(value) ?? dance.stage,
  ...spentOf(dance, policy),
  ...lastedOf(dance, policy),
});
/** When the open window ends if looks keep working; null = no window is open, or its clock is stopped. */
export const windowEndOf = (snapshot: DogSnapshot, now: Instant): Instant | null => {
  const { dance, lastSeen, policy } = snapshot.context;
  if (danceOf(snapshot).stage !== 'interrogating.listening' || !wasAsked(dance)) return null;
  if (lastSeen === null || now - lastSeen > policy.maxPerLookMs) return null;
  const leftMs = windowMs(dance) - dance.observedMs - seenMs(lastSeen, now, policy.maxPerLookMs);
  return now + Math.max(0, leftMs);
};
/** Looking is not a place of its own in the record: who recovers looks first anyway. */
const stageOf = (value: unknown): Stage | null => {
  if (typeof value === 'string') return STAGE_OF[value] ?? null;
  const [outer = '', inner] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  const end = STAGE_OF[outer]; // a dog that recovers with a verdict alerts and reports again
  if (end !== undefined) return end;
  const step = typeof inner === 'string' ? inner : Object.keys(inner as object)[0];
  return outer === 'interrogating' && step === 'looking' ? 'interrogating.listening' : (`${outer}.${step}` as Stage);
};
const STAGE_OF: Readonly<Record<string, Stage | null>> = {
  recovering: null,
  evaluating: 'evaluating',
  pardoned: 'pardoned',
  complete: 'complete',
  escalated: 'complete',
  failed: 'failed',
  closed: 'closed',
};
