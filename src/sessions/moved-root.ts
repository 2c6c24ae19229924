/**
 * Sessions whose marks in tmux name another path than this root's: it was moved while no town ran, or an older town wrote a path
 * with links. They get the marks of where it is, since nothing without our mark is ever cleared or started anew.
 * 1. Ours is who is in the very pane of this very server that a record names, with the life on record; and whose marks name this
 *    very folder.
 * 2. Where another folder stands in the old place, one of the two is a copy, and nothing is taken from the other.
 */
import { existsSync } from 'node:fs';
import type { SessionRecord } from '../../machines/protocol.ts';
import { readAll } from '../tmux/batch.ts';
import type { TmuxClient } from '../tmux/client.ts';
import { rootsOf } from '../tmux/owner.ts';
import { readPanesIfAny, rootKey, type PaneRow } from '../tmux/panes.ts';
import { isIn } from './find-unrecorded.ts';
import { deathHook } from './start.ts';

const MARKS = '#{@town_incarnation} #{@town_root}';

/** Rejects when tmux gives no answer. */
export async function takeAlong(
  { tmux, root }: { readonly tmux: TmuxClient; readonly root: string },
  records: readonly SessionRecord[],
): Promise<void> {
  const rows = (await readPanesIfAny(tmux, { key: rootKey(root) })) ?? [];
  const others = rows.filter(({ ours, hidden }) => !ours && !hidden);
  const marks = await readAll(
    tmux,
    others.map(({ paneId }) => [['display-message', '-p', '-t', paneId, MARKS]]),
  );
  for (const [at, row] of others.entries()) {
    const [, uuid, was] = /^(\S+) (\/.*)$/m.exec(marks[at] ?? '') ?? [];
    if (uuid === undefined || was === undefined) continue;
    const life = records.find((one) => isIn(one, row) && one.incarnation?.uuid === uuid)?.incarnation ?? null;
    const isHere = row.agentPane && rootsOf(was).includes(root);
    if (!isHere && (life === null || existsSync(was))) continue;
    await tmux.sequence(marksOf(root, row, life?.origin === 'started' || row.started));
  }
}

const marksOf = (root: string, { sessionId, paneId }: PaneRow, isStarted: boolean): string[][] => [
  ['set-option', '-t', sessionId, '@town_key', rootKey(root)],
  ['set-option', '-t', sessionId, '@town_root', root],
  ...(isStarted ? [['set-hook', '-p', '-t', paneId, 'pane-died', deathHook(root)]] : []),
];
