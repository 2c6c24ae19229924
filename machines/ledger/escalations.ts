/**
 * Escalations as levels, one for each bead that is open. The alerts actor alone begins, repeats, raises and ends
 * them (P-11); the hand that reads them closes those whose cause is closed.
 */
import type { Claim } from '../alerts/levels.ts';
import { aboutOf, episodeOf, isGroup, type Declared, type EpisodeName } from '../protocol/episode.ts';
import type { EscalationSeen } from '../protocol/patrols.ts';

export const ESCALATION = {
  kind: 'escalation',
  asks: ({ of }) => [`town bead show ${of}`],
  answers: ['close'],
  isForMayor: true,
  climbs: true,
} as const satisfies Declared;

export const claimOf = (open: readonly EscalationSeen[]): Claim => {
  const stands = open
    .filter(({ isAcked }) => isAcked !== true)
    .map(({ id: name, severity, text }) => ({ name, severity, session: null, text }));
  // What was told and acknowledged stands until its bead is closed; it begins no alert anew.
  return { stands, only: open.flatMap(({ id, isAcked }) => (isAcked === true ? [id] : [])) };
};

export const episodeOfEscalation = (bead: string): EpisodeName => episodeOf(ESCALATION, bead);

/** Of one escalation, or of many. */
export const isOfEscalations = (episode: string): boolean => aboutOf(episode).kind === ESCALATION.kind;

/** The bead of an episode; null = it is of another kind, or stands for many. */
export function escalationIn(episode: string): string | null {
  const { name } = aboutOf(episode);
  return isOfEscalations(episode) && !isGroup(episode) ? name : null;
}
