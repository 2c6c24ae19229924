/**
 * All kinds of alerts: the levels of each actor, by its `src`, the kinds that no actor sees, and what to type for an
 * episode of each. An episode of an undeclared kind, from another version of the town, asks the person to look.
 */
import { HEARING_LEVELS } from './hearings/alerts.ts';
import { MONITOR_LEVELS } from './monitor/alerts.ts';
import { MAIL_LEVELS } from './monitor/mail-watch.ts';
import { LEDGER_LEVELS } from './ledger/alerts.ts';
import { PATROL_LEVELS } from './patrols/alerts.ts';
import { SEND_LEVELS } from './sends/alerts.ts';
import { SESSION_LEVELS } from './sessions/alerts.ts';
import { BOOT_LEVELS, DAEMON_LEVELS, DEACON_LEVELS } from './watchdog/alerts.ts';
import { HEALTH_LEVELS } from './watchdog/health-review.ts';
import { TICKLE_LEVELS } from './tickle/alerts.ts';
import { levelsOf, type Levels } from './alerts/levels.ts';
import { CONDITIONS, FILE_REFUSED, OUTPUT_UNSAVED } from './alerts/things.ts';
import { aboutOf, isGroup, partOf, subjectOf, type Declared } from './protocol.ts';

const isOpen: Levels['isOpen'] = ({ value }) => value === 'open';

export const LEVELS: Readonly<Record<string, Levels>> = {
  kennel: levelsOf(HEARING_LEVELS, isOpen),
  sessions: levelsOf(SESSION_LEVELS, isOpen),
  daemon: levelsOf(DAEMON_LEVELS),
  deacon: levelsOf(DEACON_LEVELS),
  boot: levelsOf(BOOT_LEVELS),
  health: levelsOf(HEALTH_LEVELS),
  monitor: levelsOf(MONITOR_LEVELS, isOpen),
  mailWatch: levelsOf(MAIL_LEVELS),
  sends: levelsOf(SEND_LEVELS, isOpen),
  ledger: levelsOf(LEDGER_LEVELS),
  patrol: levelsOf(PATROL_LEVELS),
  tickle: levelsOf(TICKLE_LEVELS),
};

export const ALERT_KINDS: readonly Declared[] = [
  ...Object.values(LEVELS).flatMap(({ of }): readonly Declared[] => of),
  ...Object.values(CONDITIONS),
  FILE_REFUSED,
  OUTPUT_UNSAVED,
];

/** A name in a line that a person may copy into a shell: what is no plain name is left for them to fill in. */
const typed = (name: string, otherwise: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9_.+-]*$/.test(name) ? name : `<${otherwise}>`;

/** Its declaration; undefined = another version of the town told it. */
export const kindOf = (episode: string): Declared | undefined =>
  ALERT_KINDS.find(({ kind }) => kind === aboutOf(episode).kind);

/** What a person may answer to an open alert, besides taking note of it. What stands for many is answered one by one. */
export const answersTo = (episode: string): readonly string[] =>
  isGroup(episode) ? [] : (kindOf(episode)?.answers ?? []);

/** What to type for an open alert, besides its answers and taking note of it; null = it is news. */
export function askedBy(episode: string, session: string | null): readonly string[] | null {
  const { name } = aboutOf(episode);
  const known = kindOf(episode);
  if (known === undefined) return [];
  // Many are read in a list: no name stands for them.
  if (isGroup(episode)) return known.asks === null ? null : ['town questions'];
  const about = {
    of: typed(partOf(name), 'id'),
    within: typed(subjectOf(name), 'rig'),
    session: typed(session ?? name, 'session'),
    hasSession: session !== null,
  };
  return known.asks?.(about) ?? null;
}
