/**
 * Agents whose turn ended after a step that their program denied them (M-2): nothing on the screen asks a person, and nothing goes on by
 * itself. One that stands is an alert; it ends with the agent's next step, or its life.
 */
import type { Claim, Level, Standing } from '../alerts/levels.ts';
import { attach } from '../alerts/asks.ts';
import { quoteForeign } from '../kernel/visible-text.ts';
import type { SeenSession } from '../protocol.ts';
import { keptClaim } from './kept-claim.ts';
import { isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'denied'>;

/** With what a scan saw; the same object where that changes nothing. */
export function deniedNow(book: Book, seen: readonly SeenSession[]): SessionsState['denied'] {
  const news = seen.flatMap(({ name, uuid, denied: what }) => {
    const before = book.denied[name];
    const isSame = before?.uuid === uuid && before.what === what;
    return what === undefined || isSame ? [] : [[name, { uuid, what }] as const];
  });
  if (news.length === 0) return book.denied;
  const known = Object.entries(book.denied).filter(([name]) => name in book.records);
  return Object.fromEntries([...known, ...news]);
}

function claim({ records, denied }: Book): Claim {
  const stands: Standing[] = [];
  const only: string[] = [];
  for (const r of Object.values(records)) {
    const { name } = r.spec;
    if (!isWatched(r)) continue;
    const seen = denied[name]?.uuid === r.incarnation?.uuid ? denied[name] : undefined;
    if (seen === undefined) only.push(name);
    else if (seen.what !== null)
      stands.push({ name, severity: 'medium', session: name, text: textOf(name, seen.what) });
  }
  return { stands, only };
}

const textOf = (name: string, what: string): string =>
  `${name} was denied a step, and its turn ended: ${quoteForeign(what)}. Allow it, or tell it another way, in its pane.`;

export const DENIED_LEVEL: Level<SessionsState> = {
  kind: 'denied',
  subject: { lifeShows: 'anything' },
  asks: (about) => [...attach(about), `town send ${about.session} "<another way>"`],
  claim: keptClaim('denied', ['records'], claim),
  ended: (name, { records }) => {
    const r = name === null ? undefined : records[name];
    return r !== undefined && isWatched(r) ? 'It went on.' : 'It does not run any more.';
  },
};
