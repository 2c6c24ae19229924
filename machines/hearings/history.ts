/**
 * What is remembered of closed dances (D-4, D-15), and when the episodes end that they left to a person (law 8).
 * 1. An escalation, a failure, a dialog, survivors: over with the next hearing of that session that comes to a judgement. An
 *    escalation and a dialog name the life that they are about: with it they end before (src/alerts/lives.ts).
 * 2. Heard often: over when it was not heard so often any more.
 */
import { BLOCKED, ERROR, isStop, LIMITED, overdueAfterMs, type DogTools } from './dance.ts';
import { AGENT_ERROR, ESCALATED, NEEDS_INPUT, USAGE_LIMIT } from '../alerts/episodes.ts';
import type { Alert, Dance, Heard, WallMs } from '../protocol.ts';
import { savedText } from './saved-work.ts';

/** Of a pool. */
interface Memory {
  readonly tools: DogTools;
  readonly heard: readonly Heard[];
}
interface Over {
  readonly episode: string;
  readonly text: string;
}

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

const leftOpen = (dance: Dance): string | undefined => leftToPerson(dance)?.episode;

/** What is left of a dance that closed at this time. */
export function heardOf(dance: Dance, closedAt: WallMs): Heard {
  const { target, verdict, evidenceOnly } = dance;
  const { uuid, session } = target;
  const open = leftOpen(dance);
  const stopped = dance.warrants.every(isStop) && { stopped: true };
  return {
    ...{ uuid, session, verdict: verdict ?? 'failed', evidenceOnly, closedAt, ...stopped },
    ...(open !== undefined && { open }),
  };
}

/** Only what later decisions need: what is recent, and what is open. */
export const worthKeeping = (heard: readonly Heard[], now: WallMs, { policy }: DogTools): readonly Heard[] =>
  heard.filter((h) => h.open !== undefined || now - h.closedAt < policy.heardWithinMs);

/** What is remembered after a dance closed. */
export function heardAfter(memory: Memory, dance: Dance): readonly Heard[] {
  const entry = heardOf(dance, dance.closedAt ?? dance.openedAt);
  const over = new Set([entry.open, ...episodesOver(memory, dance).map(({ episode }) => episode)]);
  const before = memory.heard.map(({ open, ...h }): Heard =>
    open === undefined || over.has(open) ? h : { ...h, open },
  );
  return worthKeeping([...before, entry], entry.closedAt, memory.tools);
}

const isAccusation = ({ verdict, stopped }: Heard): boolean => verdict !== 'void' && stopped !== true;
const countAt = ({ tools: { policy }, heard }: Memory, session: string, now: WallMs): number =>
  heard.filter(
    (h) => h.session === session && isAccusation(h) && h.closedAt <= now && now - h.closedAt < policy.heardWithinMs,
  ).length;

/** D-15: one target was heard too often; null = it was not. */
export function oftenAlert(memory: Memory, heard: readonly Heard[], dance: Dance): Alert | null {
  const { session } = dance.target;
  const count = countAt({ ...memory, heard }, session, dance.closedAt ?? dance.openedAt);
  if (!isAccusation(heardOf(dance, dance.openedAt)) || count < memory.tools.policy.heardOften) return null;
  return {
    episode: `heard-often/${session}`,
    severity: 'medium',
    session,
    text: `${session} was heard ${count} times lately. Look at what keeps accusing it: town why ${session}`,
  };
}

/** Sessions that were heard too often at some time that these remember: their alarms may be open. */
export const wereOften = (memory: Memory): readonly string[] => {
  const often = memory.heard.filter(
    (h) => isAccusation(h) && countAt(memory, h.session, h.closedAt) >= memory.tools.policy.heardOften,
  );
  return [...new Set(often.map(({ session }) => session))];
};

/** Of these sessions, those that are not heard so often any more. */
export const noLongerOften = (memory: Memory, often: readonly string[], now: WallMs): readonly string[] =>
  often.filter((session) => countAt(memory, session, now) < memory.tools.policy.heardOften);
export const oftenOver = (session: string): Over => ({
  episode: `heard-often/${session}`,
  text: `${session} is not heard so often any more.`,
});

/** Episodes that the end of this dance ends: its own, and what an earlier hearing of this session left to a person. */
export function episodesOver({ heard, tools }: Memory, dance: Dance): readonly Over[] {
  const { session } = dance.target;
  const tookMs = Math.max(dance.lastedMs ?? 0, (dance.closedAt ?? dance.openedAt) - dance.openedAt);
  const text = `${session} was heard: ${dance.verdict ?? 'failed'}, ${dance.reason}.`;
  const isJudged = dance.verdict === 'executed' || dance.verdict === 'already_dead' || dance.verdict === 'pardoned';
  const left = isJudged ? heard.flatMap((h) => (h.session === session && h.open !== undefined ? [h.open] : [])) : [];
  const episodes = new Set([
    ...(tookMs > overdueAfterMs(dance, tools.policy) ? [`dance-overdue/${dance.id}`] : []),
    ...(dance.retried && dance.verdict !== 'failed' ? [`dance-failed/${dance.id}`] : []),
    ...left.filter((episode) => episode !== leftOpen(dance)),
  ]);
  return [...episodes].map((episode) => ({ episode, text }));
}
