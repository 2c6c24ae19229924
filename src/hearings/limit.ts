/**
 * What a dead agent left on its screen, and the usage limit in it (C-6): stopped by one is no crash. A screen that cannot be read
 * shows none. A pane that a hearing cleared since is read in the hearing's record, an agent without a pane in its output.
 */
import type { Incarnation, SeenSession } from '../../machines/protocol.ts';
import { isClean } from '../../machines/sessions/lifecycle.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';
import type { Packs } from '../screen/packs.ts';
import { isBlank, plain, tailOf } from '../screen/text.ts';
import type { TmuxClient } from '../tmux/client.ts';

export interface LimitDeps {
  readonly tmux: Pick<TmuxClient, 'call'>;
  readonly packs: Pick<Packs, 'limitOn'>;
  /** What the dead pane of this life showed, as a hearing read it; null = none did. */
  readonly lastWordsOf: (uuid: string) => Promise<string | null>;
  /** The last rows that an agent without a pane wrote. Throws where they cannot be read. */
  readonly outputOf: (session: string, maxBytes: number) => readonly string[];
}

/** `scan`, with the last words and the limit of each life that was found dead, in its pane or without it. */
export const withLimits =
  (deps: LimitDeps, scan: Perform<OrderOf<'scan'>>): Perform<OrderOf<'scan'>> =>
  async (order, signal) => {
    const outcome = await scan(order, signal);
    if (outcome.type !== 'SESSIONS_SEEN' || !outcome.seen.some(isOver)) return outcome;
    const lives = new Map(order.known.map((life) => [life.uuid, life]));
    return { ...outcome, seen: await Promise.all(outcome.seen.map((one) => limited(deps, one, lives.get(one.uuid)))) };
  };

const isOver = ({ life, maybeSignalled }: SeenSession): boolean =>
  life !== 'alive' && life !== 'unknown' && !maybeSignalled;

async function limited(deps: LimitDeps, seen: SeenSession, life: Incarnation | undefined): Promise<SeenSession> {
  if (!isOver(seen)) return seen;
  const rows = life?.origin === 'detached' ? outputRows(deps, seen) : await rowsOf(deps, seen, life?.paneId ?? '');
  // An agent that finished may have written about limits; only its very last word can be why it ended.
  const limit = deps.packs.limitOn(isClean(seen.exit) ? rows.filter(isSaid).slice(-1) : rows);
  const lastWords = wordsOf(rows);
  return { ...seen, ...(limit !== null && { limit }), ...(lastWords !== '' && { lastWords }) };
}

/** tmux's own word about the death, below what the agent left. */
const OF_TMUX = /^Pane is dead( \(|$)/;
/** Characters of a row that are kept: the first words of an error describe it. */
const ROW = 200;
/** Bytes of an output that are read: some screens of it. */
const OUTPUT_BYTES = 32_000;
/** Rows that are kept. */
const ROWS = 5;

const isSaid = (row: string): boolean => !OF_TMUX.test(row) && !isBlank(row);

const wordsOf = (rows: readonly string[]): string =>
  tailOf(
    rows.filter((row) => !OF_TMUX.test(row)).map((row) => row.slice(0, ROW)),
    ROWS,
  );

const outputRows = ({ outputOf }: LimitDeps, { name }: SeenSession): readonly string[] =>
  (orNull(() => outputOf(name, OUTPUT_BYTES)) ?? []).map(plain);

async function rowsOf(
  { tmux, lastWordsOf }: LimitDeps,
  { uuid, life }: SeenSession,
  paneId: string,
): Promise<string[]> {
  if (life !== 'dead') return (await lastWordsOf(uuid))?.split('\n') ?? [];
  // Where it cannot be read, its end counts as what its exit status says.
  return paneId === '' ? [] : deadRows(tmux, paneId).catch(() => []);
}

/** The rows of a dead pane. Rejects with `TmuxError`. */
export async function deadRows(tmux: Pick<TmuxClient, 'call'>, paneId: string): Promise<string[]> {
  // One row of history too: tmux scrolls by one for its own word about the death.
  return (await tmux.call(['capture-pane', '-p', '-J', '-S', '-1', '-t', paneId])).split('\n');
}
