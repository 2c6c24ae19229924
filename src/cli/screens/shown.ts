/** What a session's pane shows and showed: the pane while it stands, what was saved before it went, what an agent without a pane wrote. */
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { Incarnation } from '../../../machines/protocol.ts';
import { keptPaths } from '../../../state/sessions/output.ts';
import { paneReader } from '../../hearings/pane-text.ts';
import { readDances } from '../../overview/records.ts';
import type { Context } from '../context.ts';
import { clean } from '../../terminal/print.ts';
import type { ControlTmux } from '../../tmux/client.ts';

/** Bytes read of the end of a file; a longer line is cut. */
const MAX_BYTES = 4_194_304;

/** The end of a file of the root as lines; none where there is no such file. */
async function endOf(root: string, path: string): Promise<string[]> {
  const file = join(root, path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return [];
  return linesOf(await textOf(createReadStream(file, { start: Math.max(0, stat.size - MAX_BYTES), encoding: 'utf8' })));
}

/** tmux writes it into the last row of a screen, however little stands above. */
const DEAD = 'Pane is dead';

/** Without the empty rows of a screen below its last words. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  let below = DEAD;
  for (const line of clean(text, 'lines').split('\n').toReversed()) {
    const row = line.trimEnd();
    if (row === '' && below.startsWith(DEAD)) continue;
    lines.push(row);
    below = row;
  }
  return lines.toReversed();
}

/** What is in output/, the older file first. */
export async function keptLines({ root }: Pick<Context, 'root'>, name: string): Promise<string[]> {
  const parts = await Promise.all(keptPaths(name).map((path) => endOf(root, path)));
  return parts.flat();
}

/** What the rescue of this life saved of its pane, under a heading; none where there was none. */
async function rescuedLines(context: Context, { uuid, session }: Incarnation): Promise<string[]> {
  const { open, closed } = await readDances(await context.disk());
  const dance = [...closed, ...open]
    .map(({ value }) => value)
    .findLast((one) => one.target.uuid === uuid && one.rescue !== null);
  if (dance === undefined || dance.rescue === null) return [];
  const lines = await endOf(context.root, join(dance.rescue.folder, 'scrollback.txt'));
  return lines.length === 0
    ? []
    : [`--- ${session}, pane ${dance.target.paneId}, before it was cleared in ${dance.id}`, ...lines];
}

/** Of this life, while its pane stands or where a hearing saved it. Rejects with TmuxError when tmux does not say. */
export async function shownOf(context: Context, tmux: ControlTmux, life: Incarnation): Promise<readonly string[]> {
  if (life.origin === 'detached') return [];
  const pane = linesOf(await paneReader(tmux).scrollback(life));
  return pane.length > 0 || (await isLiving(tmux, life)) ? pane : rescuedLines(context, life);
}

async function isLiving(tmux: ControlTmux, { server, paneId }: Incarnation): Promise<boolean> {
  const now = await tmux.server();
  if (now?.pid !== server.pid || now.started !== server.started) return false;
  return (await tmux.query(['list-panes', '-a', '-F', '#{pane_id} #{pane_dead}'])).includes(`${paneId} 0`);
}

const HEADING = /^--- (\d{4}-\S+Z) \S+, pane \S+, before it was cleared/;

/** When the pane was cleared whose rows stand below this one; null = it is no such heading. */
export function clearedAt(row: string): number | null {
  const at = Date.parse(HEADING.exec(row)?.[1] ?? '');
  return Number.isNaN(at) ? null : at;
}

/** Whether this row stands above what was saved of a pane of this session, or of this very life. */
export const isHeading = (
  row: string,
  session: string,
  { paneId }: Pick<Incarnation, 'paneId'> = { paneId: '' },
): boolean =>
  row.startsWith('--- ') && row.includes(`${session}, pane ${paneId}`) && row.includes(', before it was cleared');

/** The lines of `after` that `before` has not: what was added at the end, else, where it was redrawn, what is new in it. */
export function appendedRows(before: readonly string[], after: readonly string[]): readonly string[] {
  const last = before.length - 1;
  // Of a long history the first lines go; one that lost more than half between two looks counts as redrawn.
  for (let gone = 0; gone <= before.length / 2 && last >= 0; gone += 1) {
    if (after.length < before.length - gone) continue;
    const isSame = before.slice(gone, last).every((line, at) => after[at] === line);
    const end = after[last - gone] ?? '';
    if (isSame && end.startsWith(before[last] ?? '')) return after.slice(last - gone + (end === before[last] ? 1 : 0));
  }
  const known = new Set(before);
  return after.filter((line) => line !== '' && !known.has(line));
}
