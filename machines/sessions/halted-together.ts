/**
 * Many agents whose turns ended with one error are one alert (M-13): an outage of a service. It ends once fewer than many stand: each of
 * those has its own alert then, and a later outage is a new alert. Denied steps are never put together: a person decides each. Pure.
 */
import type { Level } from '../alerts/levels.ts';
import { quoteForeign } from '../kernel/visible-text.ts';
import type { SessionRecord } from '../protocol.ts';
import { namesOf } from './account-alerts.ts';
import { likeOthers, nameOf } from './incidents.ts';
import { INCIDENT } from './policy.ts';
import { isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'halted'>;

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
function groupsIn({ records, halted }: Book): readonly Group[] {
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

/** Whether it is one of many that stand after one error. */
export const isHaltedTogether = (book: Book, session: string): boolean =>
  groupsIn(book).some((group) => isMany(group) && group.all.some((r) => r.spec.name === session));

export const HALTED_TOGETHER = 'many-halted';

export const HALTED_TOGETHER_LEVEL: Level<SessionsState> = {
  kind: HALTED_TOGETHER,
  asks: () => ['town session list'],
  claim: (book) => {
    // Nothing is known of any agent yet.
    if (Object.keys(book.halted).length === 0) return null;
    const stands = groupsIn(book)
      .filter(isMany)
      .map(({ name, cause, all }) => ({
        name,
        severity: 'medium' as const,
        session: null,
        text: `The last turns of ${all.length} agents ended with one error (${quoteForeign(cause)}): ${namesOf(all)}. Once it is mended, tell each of them to go on.`,
      }));
    return { stands, only: [] };
  },
  ended: (name, book) => {
    const left = groupsIn(book).find((one) => one.name === name)?.all ?? [];
    return left.length === 0
      ? 'All whose turns ended with it went on, or do not run any more.'
      : `Most went on, or do not run any more. An alert of its own stands for: ${namesOf(left)}.`;
  },
};
