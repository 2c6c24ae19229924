/** What is remembered of closed dances (D-4, D-15), and what they left to a person. */
import { isHearing, type DogTools } from './dance.ts';
import { verdictAlertOf } from './verdict-alerts.ts';
import type { Dance, EpisodeName, Ms, PastHearing, Stamp, WallMs } from '../protocol.ts';
import type { Pool } from './queue.ts';

/** The part of a dance, closed at this time, that later decisions need. */
export function heardOf(dance: Dance, closedAt: WallMs): PastHearing {
  const { id, target, verdict, reason, evidenceOnly } = dance;
  const { uuid, session } = target;
  const open = verdictAlertOf(dance)?.episode;
  const stopped = !isHearing(dance) && { stopped: true };
  return {
    id,
    uuid,
    session,
    verdict: verdict ?? 'failed',
    reason,
    evidenceOnly,
    closedAt,
    ...stopped,
    ...(open !== undefined && { open }),
  };
}

const isJudged = ({ verdict }: PastHearing): boolean =>
  verdict === 'executed' || verdict === 'already_dead' || verdict === 'pardoned';

/** The episodes that hearings left to a person and that no later judgement of that session ended, with who left them. */
export function leftOpen(heard: readonly PastHearing[]): ReadonlyMap<EpisodeName, PastHearing> {
  const open = new Map<EpisodeName, PastHearing>();
  for (const one of heard) {
    if (isJudged(one)) for (const [episode, { session }] of open) if (session === one.session) open.delete(episode);
    if (one.open !== undefined) open.set(one.open, one);
  }
  return open;
}

/** Only what later decisions need: what is recent, and what is open. */
export function worthKeeping(heard: readonly PastHearing[], now: WallMs, { policy }: DogTools): readonly PastHearing[] {
  const open = new Set(leftOpen(heard).values());
  return heard.filter((one) => open.has(one) || now - one.closedAt < policy.heardWithinMs);
}

/** A smaller difference is how long a look takes, or NTP's slewing. */
const STEP_MS: Ms = 60_000;

/** The wall clock's lead over the monotonic clock; null = not read yet. */
export type ClockOffset = Ms | null;

/** What is remembered, on the wall as it stands now: where that was set, each hearing is as old as before. */
export function onWallNow(
  heard: readonly PastHearing[],
  before: ClockOffset,
  { at, wall }: Stamp,
): { readonly heard: readonly PastHearing[]; readonly ahead: Ms } {
  const ahead = wall - at;
  const setBy = before === null ? 0 : ahead - before;
  if (before !== null && Math.abs(setBy) <= STEP_MS) return { heard, ahead: before };
  // No closing lies in the future: a town that was down while the clock went back would remember one for days.
  return { heard: heard.map((one) => ({ ...one, closedAt: Math.min(wall, one.closedAt + setBy) })), ahead };
}

/** What is remembered after a dance closed. */
export function heardAfter(
  { pastHearings: heard, tools }: Pick<Pool, 'pastHearings' | 'tools'>,
  dance: Dance,
): readonly PastHearing[] {
  const closedAt = dance.closedAt ?? dance.openedAt;
  return [...worthKeeping(heard, closedAt, tools), heardOf(dance, closedAt)];
}

const wasHeard = ({ verdict, stopped }: PastHearing): boolean => verdict !== 'void' && stopped !== true;

/** D-15: the sessions that were heard too often by now, with how often. */
export function oftenHeard(
  heard: readonly PastHearing[],
  now: WallMs,
  { policy }: DogTools,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const one of heard)
    if (wasHeard(one) && now - one.closedAt < policy.heardWithinMs)
      counts.set(one.session, (counts.get(one.session) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count >= policy.heardOften));
}
