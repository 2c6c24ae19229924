/** What the mayor gets of an episode: a letter at its beginning and whenever it is graver, put away at its end (P-11). */
import { order } from '../kernel/decision.ts';
import type { Declared, Episode, Order } from '../protocol.ts';
import { MAX_SUBJECT } from './policy.ts';
import { isLoud } from './severity.ts';

/** How its letters begin, which are named by it: a beginning that is told again writes no second one. */
const nameOf = ({ episode, since }: Episode): string => `alert.${episode.replaceAll('/', '.')}.${since}`;

/** `asks`: what to type for it. */
export function letterAbout(record: Episode, asks: readonly string[] | null): readonly Order[] {
  const { severity, text, told_at, climbs } = record;
  if (told_at !== null || !isLoud(record)) return [];
  const subject = `[${severity.toUpperCase()}] ${text}`.replaceAll(/\s+/g, ' ').slice(0, MAX_SUBJECT);
  const body = `${text}\n${(asks ?? []).map((line) => `To look at it: ${line}\n`).join('')}`;
  const name = climbs === undefined ? nameOf(record) : `${nameOf(record)}.${severity}`;
  return [order({ name }, { type: 'mail', to: 'mayor', subject, body })];
}

/** null = it has no letters. */
export function putAwayAbout(record: Episode, kind: Pick<Declared, 'isForMayor'> | undefined): Order | null {
  if (kind?.isForMayor !== true || !isLoud(record)) return null;
  const of = nameOf(record);
  return order({ issuer: 'alerts', verb: 'putAway', name: of }, { type: 'putAwayMail', to: 'mayor', of });
}
