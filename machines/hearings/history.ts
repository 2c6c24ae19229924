/** What is remembered of closed dances (D-4, D-15), and what they left to a person. */
import { BLOCKED, ERROR, isStop, LIMITED, type DogTools } from './dance.ts';
import { AGENT_ERROR, ESCALATED, NEEDS_INPUT, USAGE_LIMIT } from '../alerts/episodes.ts';
import type { Alert, Dance, Heard, WallMs } from '../protocol.ts';
import type { Pool } from './queue.ts';
import { savedText } from './saved-work.ts';

/** What the verdict of this dance leaves to a person, in which episode; null = nothing. The one place that says so. */
export function leftToPerson(dance: Dance): Alert | null {
  const { id, target, verdict, reason, killing, survivors, rescue } = dance;
  const { session, uuid } = target;
  const about = { session, severity: 'high' } as const;
  const see = `See: town dog show ${id}`;
  const saved = rescue === null ? '' : ` Rescue: ${savedText(rescue)}.`;
  const harm = killing ? saved : ' Nothing was killed.';
  if (verdict === 'escalated') {
    const text = `The hearing of ${session} needs a person: ${reason}.${harm} ${see}`;
    return { ...about, episode: `${ESCALATED}${session}`, life: uuid, text };
  }
  if (verdict === 'failed') {
    const text = `The hearing of ${session} failed${killing ? ' after signals were sent' : ' and nothing was killed'}: ${reason}.${killing ? saved : ''} ${see}`;
    return { ...about, episode: `dance-failed/${id}`, text };
  }
  if (verdict === 'pardoned' && reason.startsWith(BLOCKED)) {
    const text = `${session} waits for a person (${reason}); answer it in its pane. Its hearing ended with a pardon.`;
    return { ...about, severity: 'medium', episode: `${NEEDS_INPUT}${session}`, life: uuid, text };
  }
  if (verdict === 'pardoned' && reason.startsWith(LIMITED)) {
    const text = `${session} does nothing for now: ${reason}. Its hearing ended with a pardon.`;
    return { ...about, severity: 'medium', episode: `${USAGE_LIMIT}${session}`, life: uuid, text };
  }
  if (verdict === 'pardoned' && reason.startsWith(ERROR)) {
    const text = `${session} waits after an error (${reason}); see to it in its pane. Its hearing ended with a pardon.`;
    return { ...about, severity: 'medium', episode: `${AGENT_ERROR}${session}`, life: uuid, text };
  }
  if (survivors.length === 0) return null;
  const pids = survivors.map(({ pid }) => pid).join(', ');
  const text = `Of ${session}, which was executed, pids ${pids} live on; the town leaves them to you.${saved} ${see}`;
  return { ...about, episode: `dance-survivors/${id}`, text };
}

/** What is left of a dance that closed at this time. */
export function heardOf(dance: Dance, closedAt: WallMs): Heard {
  const { id, target, verdict, reason, evidenceOnly } = dance;
  const { uuid, session } = target;
  const open = leftToPerson(dance)?.episode;
  const stopped = dance.warrants.every(isStop) && { stopped: true };
  return {
    ...{ id, uuid, session, verdict: verdict ?? 'failed', reason, evidenceOnly, closedAt, ...stopped },
    ...(open !== undefined && { open }),
  };
}

const isJudged = ({ verdict }: Heard): boolean =>
  verdict === 'executed' || verdict === 'already_dead' || verdict === 'pardoned';

/** The episodes that hearings left to a person and that no later judgement of that session ended, with who left them. */
export function leftOpen(heard: readonly Heard[]): ReadonlyMap<string, Heard> {
  const open = new Map<string, Heard>();
  for (const one of heard) {
    if (isJudged(one)) for (const [episode, { session }] of open) if (session === one.session) open.delete(episode);
    if (one.open !== undefined) open.set(one.open, one);
  }
  return open;
}

/** Only what later decisions need: what is recent, and what is open. */
export function worthKeeping(heard: readonly Heard[], now: WallMs, { policy }: DogTools): readonly Heard[] {
  const open = new Set(leftOpen(heard).values());
  return heard.filter((one) => open.has(one) || now - one.closedAt < policy.heardWithinMs);
}

/** What is remembered after a dance closed. */
export function heardAfter({ heard, tools }: Pick<Pool, 'heard' | 'tools'>, dance: Dance): readonly Heard[] {
  const closedAt = dance.closedAt ?? dance.openedAt;
  return [...worthKeeping(heard, closedAt, tools), heardOf(dance, closedAt)];
}

const isAccusation = ({ verdict, stopped }: Heard): boolean => verdict !== 'void' && stopped !== true;

/** D-15: the sessions that were heard too often by now, with how often. */
export function oftenHeard(
  heard: readonly Heard[],
  now: WallMs,
  { policy }: DogTools,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const one of heard)
    if (isAccusation(one) && now - one.closedAt < policy.heardWithinMs)
      counts.set(one.session, (counts.get(one.session) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count >= policy.heardOften));
}
