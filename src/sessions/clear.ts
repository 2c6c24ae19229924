/**
 * The order `clear`: what is left of a life in tmux is removed, and nothing else.
 * 1. The target is a pane: the session goes only if that pane is all of it. Windows that another session shows too are
 *    named.
 * 2. Owner, server, pane and its surroundings are compared by tmux in the same command that kills.
 * 3. An adopted pane is a person's shell: nothing of it is touched but our marks, once its session is to be forgotten.
 * 4. An unsaved pane is saved first; a pane that could not be saved stays (law 4), and so does one that a person types
 *    in (law 6).
 */
import { isSameProc, type Incarnation, type Proc } from '../../machines/protocol.ts';
import type { OrderOf, Perform, Processes } from '../ports/ports.ts';
import type { KeepPane } from './kept-output.ts';
import { changeAll } from '../tmux/batch.ts';
import { isFault } from '../tmux/errors.ts';
import { heeding } from '../tmux/abortable.ts';
import { ownerCondition, type Owner } from '../tmux/owner.ts';
import { LIFE } from './life-mark.ts';
import { isPaneOf, NO_PID, readPanesIfAny, rootKey, type PaneRow } from '../tmux/panes.ts';
import type { TmuxClient } from '../tmux/client.ts';

export interface ClearDeps {
  readonly tmux: TmuxClient;
  readonly processes: Pick<Processes, 'alive'>;
  readonly owner: Owner;
  readonly keep: KeepPane;
  readonly personIn: PersonIn;
}

/** The person at the keys in one of these sessions, in words; null = none (law 6). Rejects if tmux cannot say. */
export type PersonIn = (sessionIds: readonly string[]) => Promise<string | null>;

/** Every session that shows this pane. */
export const sessionsOf = (rows: readonly PaneRow[], paneId: string): string[] =>
  rows.filter((row) => row.paneId === paneId).map(({ sessionId }) => sessionId);

/** Why the pane still stands; null = it is gone. */
export type WhyPaneStays = string | null;

/** People split and unsplit panes meanwhile, but not more often than this. */
const MAX_LOOKS = 3;

/** Rejects when tmux or a process gave no answer, and when the server is not ours any more. */
export function clearSession(shared: ClearDeps): Perform<OrderOf<'clear'>> {
  return async (order, signal) => {
    const { target, tree } = order;
    const deps = { ...shared, tmux: heeding(shared.tmux, signal) };
    const whyPaneStays = target.origin === 'started' ? await removeLife(deps, order) : null;
    if (order.forgets === true && target.origin === 'adopted') await unmark(deps, target);
    const survivors = tree.filter((proc: Proc) => deps.processes.alive(proc));
    return { type: 'CLEARED', survivors, ...(whyPaneStays === null ? {} : { whyPaneStays }) };
  };
}

async function removeLife(deps: ClearDeps, order: OrderOf<'clear'>): Promise<WhyPaneStays> {
  const { tmux, owner, keep, personIn } = deps;
  const { target, unsaved = false, byForce = false } = order;
  tmux.expect(target.server);
  const sessionIds = byForce ? [] : sessionsOf((await readPanesIfAny(tmux)) ?? [], target.paneId);
  const person = sessionIds.length === 0 ? null : await personIn(sessionIds);
  if (person !== null) return `its pane ${target.paneId} is left: ${person}`;
  const why = unsaved ? await keep(target.session, target) : null;
  if (why !== null) return `its pane ${target.paneId} is left, since what it shows could not be saved: ${why}`;
  return removePane(tmux, owner, { paneId: target.paneId, pid: target.agent.pid }, target.server);
}

/** Its session is a person's own again, as far as it still carries the marks of this life. */
async function unmark({ tmux, owner }: ClearDeps, { server, sessionId, paneId, uuid }: Incarnation): Promise<void> {
  tmux.expect(server);
  const rows = (await readPanesIfAny(tmux, { key: rootKey(owner.root), uuid })) ?? [];
  const isOurs = rows.some((row) => row.ours && row.incarnate && row.paneId === paneId && row.sessionId === sessionId);
  if (!isOurs) return;
  const marks = ['@town_key', '@town_root', '@town_incarnation', '@town_pane', LIFE];
  await tmux.sequence(marks.map((name) => ['set-option', '-u', '-t', sessionId, name]));
}

/** A pane, and its process: another process in it is another life, since a person respawned it by hand. */
type Pane = Pick<PaneRow, 'paneId' | 'pid'>;

/** Their rows as they are now. */
async function rowsOf(tmux: TmuxClient, panes: readonly Pane[]): Promise<PaneRow[]> {
  const rows = (await readPanesIfAny(tmux)) ?? [];
  return rows.filter((row) => panes.some(({ paneId, pid }) => row.paneId === paneId && isPaneOf(row.pid, pid)));
}

/** `server`: where it is; absent = on whichever answers. */
export async function removePane(tmux: TmuxClient, owner: Owner, pane: Pane, server?: Proc): Promise<WhyPaneStays> {
  const { paneId } = pane;
  const find = async (): Promise<PaneRow | null> => {
    if (server !== undefined && !isSameProc(await tmux.server(), server)) return null;
    return (await rowsOf(tmux, [pane]))[0] ?? null;
  };
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const row = await find();
    if (row === null) return null;
    if (isShared(row))
      return `the window of ${paneId} is shown by another session too; close it there: tmux kill-pane -t '${paneId}'`;
    try {
      await tmux.sequence([removal(owner, row)]);
    } catch (error) {
      if (!isFault(error, 'none')) throw error; // It was the server's last session.
    }
  }
  if ((await find()) === null) return null;
  throw notRemoved(paneId);
}

/** As `removePane`, for many: those that another session shows too stay, and are given back. */
export async function removePanes(tmux: TmuxClient, owner: Owner, panes: readonly Pane[]): Promise<PaneRow[]> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const rows = await rowsOf(tmux, panes);
    const alone = rows.filter((row) => !isShared(row));
    if (alone.length === 0) return rows;
    try {
      await changeAll(
        tmux,
        alone.map((row) => [removal(owner, row)]),
      );
    } catch (error) {
      // Its last session ends the server, which then may say so in the middle of a call.
      if (isFault(error, 'none') || (await readPanesIfAny(tmux)) === null) return [];
      throw error;
    }
  }
  const left = await rowsOf(tmux, panes);
  const stays = left.find((row) => !isShared(row));
  if (stays !== undefined) throw notRemoved(stays.paneId);
  return left;
}

/** It would go from another session too. */
const isShared = (row: PaneRow): boolean => row.shared && row.windowPanes === 1;

const notRemoved = (paneId: string): Error =>
  new Error(`tmux did not remove the pane ${paneId}: another town owns the server, or the pane keeps changing`);

/** The command that removes this pane, and nothing if it is not as it was read any more. */
function removal(owner: Owner, row: PaneRow): string[] {
  const isAll = row.windowPanes === 1 && row.sessionWindows === 1;
  const kill = isAll ? `kill-session -t '${row.sessionId}'` : `kill-pane -t '${row.paneId}'`;
  const condition = allOf([ownerCondition(owner), ...asRead(row, isAll)]);
  return ['if-shell', '-F', '-t', row.paneId, condition, kill];
}

/** Everything that the choice of the command rests on. */
function asRead(row: PaneRow, isAll: boolean): string[] {
  return [
    `#{==:#{pid},${row.serverPid}}`,
    ...(row.pid === NO_PID ? ['#{==:#{pane_pid},}', '#{==:#{pane_dead},1}'] : [`#{==:#{pane_pid},${row.pid}}`]),
    `#{==:#{window_panes},${row.windowPanes}}`,
    // A shared window is seen from either session, and only a whole session's end depends on its other windows.
    ...(isAll ? [`#{==:#{session_windows},${row.sessionWindows}}`] : []),
    `#{==:#{?window_linked,1,#{?session_grouped,1,0}},${row.shared ? 1 : 0}}`,
  ];
}

function allOf(conditions: readonly string[]): string {
  return conditions.reduceRight((rest, condition) => `#{&&:${condition},${rest}}`);
}
