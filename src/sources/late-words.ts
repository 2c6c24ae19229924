/**
 * What a server says behind the time that a look waits for it, as on a busy machine.
 * 1. It is asked anew at each look: what it was asked while it started it may never answer.
 * 2. What it says late counts until it says more, and only while it is new. Whether it takes work may be otherwise by then.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';
import type { Ear, Heard } from './port.ts';
import { SOURCES } from './policy.ts';

const LATE = Symbol('late');

export interface Waits {
  readonly clock: Pick<Clock, 'now'>;
  /** How long its place may take. */
  readonly waitMs: Ms;
}

/** `read`: never rejects, and ends by itself. `kept`: what holds while it says nothing. */
export function withLateWords(
  read: () => Promise<Heard | null>,
  kept: () => Heard | null,
  { clock, waitMs }: Waits,
): Ear['hear'] {
  let asked = 0;
  let underWay = 0;
  let newest = 0;
  let late: { readonly heard: Heard; readonly at: number } | null = null;
  /** One answer, which may come behind a later one. */
  const ask = async (isWaitedFor: () => boolean): Promise<Heard | null> => {
    const nth = (asked += 1);
    underWay += 1;
    const heard = await read();
    underWay -= 1;
    if (nth < newest) return heard;
    newest = nth;
    const counts = heard !== null && heard.isSilent !== true && !isWaitedFor();
    late = counts ? { heard, at: clock.now() } : null;
    return heard;
  };
  const inTime = async (): Promise<Heard | null | typeof LATE> => {
    if (underWay >= SOURCES.maxUnderWay) return LATE;
    const over = new AbortController();
    let isWaitedFor = true;
    const limit = pause(waitMs - SOURCES.spareMs, LATE, { signal: over.signal }).catch(() => LATE);
    const said = await Promise.race([ask(() => isWaitedFor), limit]);
    isWaitedFor = false;
    over.abort();
    return said as Heard | null | typeof LATE;
  };
  return async () => {
    const said = await inTime();
    if (said !== LATE) return said;
    if (late === null || clock.now() - late.at > SOURCES.newMs) return kept();
    const { gives: _, ...heard } = late.heard;
    return heard;
  };
}
