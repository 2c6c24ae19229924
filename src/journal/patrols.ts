/** What patrols leave in the journal: each deed once, as long as it leads to the same, and cycles that come to nothing. */
import { polecatIn, sessionOf } from '../../machines/rigs/names.ts';
import type { Outcome, WallMs } from '../../machines/protocol.ts';
import type { PatrolRecord } from '../../machines/protocol/patrols.ts';
import type { JournalLine } from '../../state/journal.ts';
import type { ChangeFilter } from './change-filter.ts';

/** Told when its reason changes; what cycles did is told by their outcomes. */
export function recordLines(told: ChangeFilter, { of, why, failures }: PatrolRecord, at: WallMs): JournalLine[] {
  if (!told.isNew(`patrol/${of}`, why ?? '')) return [];
  return why === null ? [] : [{ at, kind: 'patrol.failed', patrol: of, why, failures }];
}

export function deedLines(
  told: ChangeFilter,
  { re, found }: Extract<Outcome, { type: 'PATROLLED' }>,
  at: WallMs,
): JournalLine[] {
  const patrol = re.split('/')[1] ?? '';
  return found.deeds
    .filter(({ act, about, done, text }) => told.isNew(`deed/${patrol}/${act}/${about}`, `${String(done)} ${text}`))
    .map(({ act, about, done, text }) => {
      const polecat = act === 'nuke' ? { rig: patrol, name: about } : polecatIn(about);
      const session = polecat === null ? {} : { session: sessionOf(polecat) };
      return { at, kind: done ? 'patrol.did' : 'patrol.did_not', patrol, act, about, text, ...session };
    });
}
