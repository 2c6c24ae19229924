/**
 * What a session shows from now on, over its lives.
 * 1. Each look begins with the record: what a life wrote is seen before its end, or the next life, is believed.
 * 2. The rest of a life is told from its pane while that stands, else from what was saved of it; each row once.
 * 3. It ends with a session that has ended or was removed. One that merely does not run now may be back, and a tmux that
 *    gives no answer says nothing (law 1).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Incarnation } from '../../../machines/protocol.ts';
import { startedAgain } from '../../../state/sessions/output.ts';
import { readSession } from '../../overview/records.ts';
import type { ControlTmux } from '../../tmux/client.ts';
import { TmuxError } from '../../tmux/errors.ts';
import type { Context } from '../context.ts';
import { appendedRows, isHeading, keptLines, shownOf } from './shown.ts';

/** The part that was printed already. */
export interface Seen {
  readonly life: Incarnation | null;
  /** Of its pane. */
  readonly rows: readonly string[];
  /** In output/. */
  readonly kept: readonly string[];
}

const AGAIN_MS = 500;

/** Rows that are new, whenever there are some. */
export async function* newRows(
  context: Context,
  tmux: ControlTmux,
  name: string,
  begun: Seen,
): AsyncGenerator<readonly string[]> {
  const disk = await context.disk();
  for (let seen = begun; ;) {
    const record = await readSession(disk, name);
    const life = record?.incarnation ?? null;
    const isNext = life !== null && life.uuid !== seen.life?.uuid;
    const isOver = record === null || record.state === 'ended';
    const look = await lookAgain(context, tmux, name, seen, isNext || isOver);
    if (look !== null) {
      yield look.told;
      if (isOver) return;
      // One without a pane says so in its output itself.
      if (isNext && seen.life !== null && life.origin !== 'detached') yield [startedAgain(name)];
      seen = isNext ? { life, rows: [], kept: look.kept } : { ...look, life: seen.life };
      if (isNext) continue;
    }
    await pause(AGAIN_MS);
  }
}

type Look = Omit<Seen, 'life'> & { readonly told: readonly string[] };

/** null = tmux gave no answer. */
async function lookAgain(
  context: Context,
  tmux: ControlTmux,
  name: string,
  { life, rows: known, kept }: Seen,
  isPast: boolean,
): Promise<Look | null> {
  try {
    const shown = life === null ? [] : await shownOf(context, tmux, life);
    const isOf = (row = ''): boolean => life !== null && isHeading(row, name, life);
    const rows = isOf(shown[0]) ? shown.slice(1) : shown;
    const now = rows.length > 0 && !isPast ? kept : await keptLines(context, name);
    const saved = appendedRows(kept, now);
    const more = isOf(saved[0]) ? appendedRows(rows.length > 0 ? rows : known, saved.slice(1)) : saved;
    const told = [...appendedRows(known, rows), ...more];
    return { told: told.map((row) => (isHeading(row, name) ? startedAgain(name) : row)), rows, kept: now };
  } catch (error) {
    if (error instanceof TmuxError && error.fault !== 'absent') return null;
    throw error;
  }
}
