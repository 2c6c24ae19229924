/**
 * Many sessions that die of one cause are one incident (M-13): one alert with their count, and one message when it is over. Pure,
 * and all of it is in the records. A session counts from its crash until it has run steadily; while many count, the crash loop of
 * each is no alert of its own. Once fewer than many count it is over, and later deaths are a new incident.
 */
import type { Claim, Level } from '../alerts/levels.ts';
import { hash32 } from '../kernel/seeded-random.ts';
import { quoteForeign } from '../kernel/visible-text.ts';
import type { SessionRecord } from '../protocol.ts';
import { namesOf } from './account-alerts.ts';
import { exitText } from './lifecycle.ts';
import { INCIDENT } from './policy.ts';
import type { SessionsState } from './state.ts';

type Records = SessionsState['records'];

/** Sessions that crashed, none of them steady since, by what they died of. */
interface Incident {
  /** Of the episode. */
  readonly name: string;
  /** As the end of a sentence. */
  readonly cause: string;
  readonly all: readonly SessionRecord[];
}

const hasCrashed = ({ state, streak, restartAgesMs }: SessionRecord): boolean =>
  state !== 'ended' && state !== 'observed' && streak > 0 && restartAgesMs.length > 0;

/** The last row that its life left; '' = it left none. */
const lastRow = ({ lastWords = '' }: SessionRecord): string =>
  lastWords
    .split('\n')
    .filter((row) => row.trim() !== '')
    .at(-1) ?? '';

/** Words without what differs from session to session and from second to second. */
export const likeOthers = (text: string, name: string): string =>
  text
    .split(/([\w-]+)/)
    .map((word) => (word === name ? '…' : word.replace(/\d+/g, '#')))
    .join('')
    .trim();

const endedWith = ({ lastExit }: SessionRecord, row: string): string =>
  row === '' ? exitText(lastExit) : `${exitText(lastExit)}, last words: ${quoteForeign(row)}`;

/** How its last life ended, as the end of a sentence. */
export const deathText = (r: SessionRecord): string => endedWith(r, lastRow(r).trim());

const causeOf = (r: SessionRecord): string => endedWith(r, likeOthers(lastRow(r), r.spec.name));

/** As a part of an episode's name, which has no `/`: its first words, and what tells it from all others. */
export function nameOf(cause: string): string {
  const words = cause
    .toLowerCase()
    .replace(/[^a-z0-9#]+/g, '-')
    .slice(0, INCIDENT.nameChars);
  return `${words}-${hash32(cause).toString(36)}`;
}

const made = new WeakMap<Records, readonly Incident[]>();
/** Of few and of many: the same list while the records are the same. */
function incidentsIn(records: Records): readonly Incident[] {
  const known = made.get(records);
  if (known !== undefined) return known;
  const groups = Map.groupBy(Object.values(records).filter(hasCrashed), causeOf);
  const all = [...groups].map(([cause, of]) => ({ name: nameOf(cause), cause, all: of }));
  made.set(records, all);
  return all;
}

const isMany = ({ all }: Incident): boolean => all.length >= INCIDENT.sessions;

/** Whether it is one of many that die of one cause. */
export const isInIncident = ({ records }: Pick<SessionsState, 'records'>, session: string): boolean =>
  incidentsIn(records).some((one) => isMany(one) && one.all.some((r) => r.spec.name === session));

function textOf({ cause, all }: Incident): string {
  const again = all.filter(({ crashLoop }) => crashLoop).length;
  const loops = again === 0 ? '' : ` ${again} of them again and again, at a slower pace.`;
  return `${all.length} sessions died of one cause (${cause}): ${namesOf(all)}. Each is started again.${loops}`;
}

export const INCIDENT_LEVEL: Level<SessionsState> = {
  kind: 'many-died',
  asks: () => ['town session list'],
  claim: ({ records }): Claim => ({
    stands: incidentsIn(records)
      .filter(isMany)
      .map((one) => ({
        name: one.name,
        severity: one.all.some(({ crashLoop }) => crashLoop) ? 'high' : 'medium',
        session: null,
        text: textOf(one),
      })),
    only: [],
  }),
  ended: (name, { records }) => {
    const left = incidentsIn(records).find((one) => one.name === name)?.all ?? [];
    return left.length === 0
      ? 'All that died of it run steadily again, or are not started any more.'
      : `Most that died of it run steadily again, or are not started any more. Not yet: ${namesOf(left)}.`;
  },
};
