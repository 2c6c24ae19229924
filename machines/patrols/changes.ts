/** Acts after which things stand differently, so that the next cycle has something to do (P-1). */
import type { Deed } from '../protocol/patrols.ts';

const CHANGES: ReadonlySet<string> = new Set([
  'nuke',
  'spawn',
  'hook',
  'start',
  'reopen',
  'fail',
  'close',
  'archive',
  'shelve',
  'wisp',
  'escalate',
  'unhook',
  'land',
  'open',
  'orphan',
  'stop',
]);

export const hasChanged = (deeds: readonly Deed[]): boolean => deeds.some(({ act, done }) => done && CHANGES.has(act));
