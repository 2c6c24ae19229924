/**
 * Agents whose turn halted, and waits for a person, though no dialog stands (M-2): after a step that their program denied them, or after
 * an error. Each is an alert; it ends with the agent's next step, or its life.
 */
import type { Claim, Level, Standing } from '../alerts/levels.ts';
import { attach } from '../alerts/asks.ts';
import { quoteForeign } from '../kernel/visible-text.ts';
import type { Halted, SeenSession } from '../protocol.ts';
import { HALTED_TOGETHER, isHaltedTogether } from './halted-together.ts';
import { keptClaim } from './kept-claim.ts';
import { isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'halted'>;

/** With what a scan saw; the same object where that changes nothing. */
export function haltedNow(book: Book, seen: readonly SeenSession[]): SessionsState['halted'] {
  const news = seen.flatMap(({ name, uuid, halted: halt }) => {
    const before = book.halted[name];
    const isSame = before?.uuid === uuid && before.halt?.state === halt?.state && before.halt?.what === halt?.what;
    return halt === undefined || isSame ? [] : [[name, { uuid, halt }] as const];
  });
  if (news.length === 0) return book.halted;
  const known = Object.entries(book.halted).filter(([name]) => name in book.records);
  return Object.fromEntries([...known, ...news]);
}

interface OfHalt {
  readonly kind: string;
  readonly state: Halted['state'];
  /** What a person may write to it. */
  readonly words: string;
  readonly text: (name: string, what: string) => string;
}

const OF_HALTS: readonly OfHalt[] = [
  {
    kind: 'denied',
    state: 'denied',
    words: '<another way>',
    text: (name, what) =>
      `${name} was denied a step, and its turn ended: ${what}. Allow it, or tell it another way, in its pane.`,
  },
  {
    kind: 'agent-error',
    state: 'error',
    words: 'go on',
    text: (name, what) => `The last turn of ${name} ended with an error: ${what}. Once it is mended, tell it to go on.`,
  },
];

/** Kinds of alerts during which an agent waits for a person. */
export const HALT_KINDS: readonly string[] = [...OF_HALTS.map(({ kind }) => kind), HALTED_TOGETHER];

function claimOf({ state, text }: OfHalt, book: Book): Claim {
  const { records, halted } = book;
  const stands: Standing[] = [];
  const only: string[] = [];
  for (const r of Object.values(records)) {
    const { name } = r.spec;
    if (!isWatched(r)) continue;
    const seen = halted[name]?.uuid === r.incarnation?.uuid ? halted[name] : undefined;
    if (seen === undefined) only.push(name);
    else if (seen.halt?.state === state && !isHaltedTogether(book, name))
      stands.push({ name, severity: 'medium', session: name, text: text(name, quoteForeign(seen.halt.what)) });
  }
  return { stands, only };
}

export const HALT_LEVELS: readonly Level<SessionsState>[] = OF_HALTS.map((of) => ({
  kind: of.kind,
  subject: { lifeShows: 'anything' },
  asks: (about) => [...attach(about), `town send ${about.session} "${of.words}"`],
  claim: keptClaim('halted', ['records'], (book) => claimOf(of, book)),
  ended: (name, book) => {
    if (name !== null && isHaltedTogether(book, name)) return `${name} is one of many that stand after one error.`;
    const r = name === null ? undefined : book.records[name];
    return r !== undefined && isWatched(r) ? 'It went on.' : 'It does not run any more.';
  },
}));
