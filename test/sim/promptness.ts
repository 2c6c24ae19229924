/**
 * Whether deaf targets end when they should: within their observable windows and a little more. Own arithmetic, the log alone.
 */
import { Blindness } from './blindness.ts';
import { of } from './log.ts';
import type { Log } from './log.ts';

export interface Promptness {
  /** Hearings of targets that gave no sign of life. */
  readonly deaf: number;
  /** Of these, ended later than allowed. */
  readonly late: number;
}

/** Hearings that began after `since`, when no more faults come; `allowedMs` = all windows and what comes on top. */
export function promptnessOf(log: Log, allowedMs: number, since: number): Promptness {
  const blindness = new Blindness(log);
  const executed = new Set(of(log, 'told').flatMap(({ dance, verdict }) => (verdict === 'executed' ? [dance] : [])));
  const begun = new Map<string, { t: number; life: string }>();
  for (const { dance, t, life } of of(log, 'asked')) if (!begun.has(dance)) begun.set(dance, { t, life });
  let deaf = 0;
  let late = 0;
  for (const [dance, { t, life }] of begun) {
    const isOpen = !of(log, 'told').some((told) => told.dance === dance);
    if (t < since || (!executed.has(dance) && !isOpen)) continue;
    const kill = of(log, 'signalled').find((signal) => signal.dance === dance);
    const looks = of(log, 'looked').filter((look) => look.dance === dance);
    const end = kill?.t ?? looks.at(-1)?.t ?? Infinity;
    deaf += 1;
    if (isOpen || blindness.seenMs(life, t, end).seenMs > allowedMs) late += 1;
  }
  return { deaf, late };
}
