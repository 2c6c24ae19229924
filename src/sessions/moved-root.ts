/**
 * Sessions whose marks in tmux name the folder where this root was: it was moved while no town ran. They get the marks of where it
 * is, since nothing without our mark is ever cleared or started anew.
 * 1. Ours is who is in the very pane of this very server that a record names, with the life on record.
 * 2. Where something still stands in the old place, one of the two is a copy, and nothing is taken from the other.
 */
import { existsSync } from 'node:fs';
import type { SessionRecord } from '../../machines/protocol.ts';
import type { TmuxClient } from '../tmux/client.ts';
import { readPanesIfAny, rootKey } from '../tmux/panes.ts';
import { isIn } from './find-unrecorded.ts';
import { deathHook } from './start.ts';

/** Rejects when tmux gives no answer. */
export async function takeAlong(
  { tmux, root }: { readonly tmux: TmuxClient; readonly root: string },
  records: readonly SessionRecord[],
): Promise<void> {
  for (const { ours, hidden, paneId, sessionId, ...row } of (await readPanesIfAny(tmux, { key: rootKey(root) })) ??
    []) {
    if (ours || hidden) continue;
    const life = records.find((one) => isIn(one, { ...row, paneId }))?.incarnation ?? null;
    if (life === null) continue;
    const marks = await tmux.call(['display-message', '-p', '-t', paneId, '#{@town_incarnation} #{@town_root}']);
    const [, uuid, was = ''] = /^(\S+) (\/.*)$/.exec(marks) ?? [];
    if (uuid !== life.uuid || existsSync(was)) continue;
    await tmux.sequence([
      ['set-option', '-t', sessionId, '@town_key', rootKey(root)],
      ['set-option', '-t', sessionId, '@town_root', root],
      ...(life.origin === 'started' ? [['set-hook', '-p', '-t', paneId, 'pane-died', deathHook(root)]] : []),
    ]);
  }
}
