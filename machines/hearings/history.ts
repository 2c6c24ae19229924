/** What is remembered of closed dances (D-4, D-15), and what they left to a person. */
import { isStop, type DogTools } from './dance.ts';
import { leftToPerson } from './left.ts';
import type { Dance, EpisodeName, PastHearing, WallMs } from '../protocol.ts';
import type { Pool } from './queue.ts';

/** What is left of a dance that closed at this time. */
export function heardOf(dance: Dance, closedAt: WallMs): PastHearing {
  const { id, target, verdict, reason, evidenceOnly } = dance;
  const { uuid, session } = target;
  const open = leftToPerson(dance)?.episode;
  const stopped = dance.warrants.every(isStop) && { stopped: true };
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

/** What is remembered after a dance closed. */
export function heardAfter(
  { pastHearings: heard, tools }: Pick<Pool, 'pastHearings' | 'tools'>,
  dance: Dance,
): readonly PastHearing[] {
  const closedAt = dance.closedAt ?? dance.openedAt;
  return [...worthKeeping(heard, closedAt, tools), heardOf(dance, closedAt)];
}

const isAccusation = ({ verdict, stopped }: PastHearing): boolean => verdict !== 'void' && stopped !== true;

/** D-15: the sessions that were heard too often by now, with how often. */
export function oftenHeard(
  heard: readonly PastHearing[],
  now: WallMs,
  { policy }: DogTools,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const one of heard)
    if (isAccusation(one) && now - one.closedAt < policy.heardWithinMs)
      counts.set(one.session, (counts.get(one.session) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count >= policy.heardOften));
}
