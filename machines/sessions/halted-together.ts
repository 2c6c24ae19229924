/**
 * Many agents whose turns ended with one error are one alert (M-13), as many that die of one cause are: an outage of a service. It is over
 * with the last of them. Of what a person has to decide for each agent nothing is put together. Pure.
 */
import type { Level } from '../alerts/levels.ts';
import { quoteForeign } from '../kernel/visible-text.ts';
import type { SessionRecord } from '../protocol.ts';
import { namesOf } from './account-alerts.ts';
import { likeOthers, nameOf } from './incidents.ts';
import { INCIDENT } from './policy.ts';
import { isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'halted' | 'haltedTogether'>;

/** Agents that stand after the same error. */
interface Group {
  /** Of the episode. */
  readonly name: string;
  readonly cause: string;
  readonly all: readonly SessionRecord[];
}

const errorOf = (r: SessionRecord, { halted }: Pick<Book, 'halted'>): string | null => {
  const { uuid, halt = null } = halted[r.spec.name] ?? {};
  const isItsOwn = uuid !== undefined && uuid === r.incarnation?.uuid && isWatched(r);
  return isItsOwn && halt?.state === 'error' ? likeOthers(halt.what, r.spec.name) : null;
};

const made = new WeakMap<Book['halted'], { readonly records: Book['records']; readonly groups: readonly Group[] }>();
/** Of few and of many: the same list while the records are the same. */
function groupsIn({ records, halted }: Pick<Book, 'records' | 'halted'>): readonly Group[] {
  const known = made.get(halted);
  if (known?.records === records) return known.groups;
  const stand = Object.values(records).flatMap((r) => {
    const cause = errorOf(r, { halted });
    return cause === null ? [] : [{ r, cause }];
  });
  const groups = [...Map.groupBy(stand, ({ cause }) => cause)].map(([cause, of]) => {
    return { name: nameOf(cause), cause, all: of.map(({ r }) => r) };
  });
  made.set(halted, { records, groups });
  return groups;
}

const isMany = ({ all }: Group): boolean => all.length >= INCIDENT.sessions;

/** The names of those that stand: what began with many is over with the last of them. */
export function haltedTogetherNow({ haltedTogether: before, ...book }: Book): Book['haltedTogether'] {
  const names = groupsIn(book).flatMap((one) => (isMany(one) || before.includes(one.name) ? [one.name] : []));
  return names.length === before.length && names.every((name) => before.includes(name)) ? before : names;
}

/** Whether it is one of many that stand after one error. */
export const isHaltedTogether = ({ haltedTogether, ...book }: Book, session: string): boolean =>
  haltedTogether.length > 0 &&
  groupsIn(book).some(({ name, all }) => haltedTogether.includes(name) && all.some((r) => r.spec.name === session));

export const HALTED_TOGETHER = 'many-halted';

export const HALTED_TOGETHER_LEVEL: Level<SessionsState> = {
  kind: HALTED_TOGETHER,
  asks: () => ['town session list'],
  claim: (book) => {
    // Nothing is known of any agent yet.
    if (Object.keys(book.halted).length === 0) return null;
    const groups = groupsIn(book);
    const stands = groups.filter(isMany).map(({ name, cause, all }) => ({
      name,
      severity: 'medium' as const,
      session: null,
      text: `The last turns of ${all.length} agents ended with one error (${quoteForeign(cause)}): ${namesOf(all)}. Once it is mended, tell each of them to go on.`,
    }));
    return { stands, only: groups.filter((one) => !isMany(one)).map(({ name }) => name) };
  },
  ended: () => 'All whose turns ended with it went on, or do not run any more.',
};
