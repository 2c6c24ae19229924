/** Where a record goes, and its text. */
import type { SavedRecord } from '../machines/protocol.ts';
import { danceText } from './hearings/dances.ts';
import { patrolText } from './patrols/records.ts';
import { paths } from './files/layout.ts';
import { noteSheet } from './watchdog/records.ts';
import { sessionText } from './sessions/records.ts';

/** Without a text the file is to go. */
export function sheetOf(record: SavedRecord): { readonly path: string; readonly text: string | null } {
  if (record.kind === 'note') return noteSheet(record);
  if (record.kind === 'forgotten') return { path: paths.session(record.id), text: null };
  if (record.kind === 'patrol') return { path: paths.patrol(record.id), text: patrolText(record.value) };
  if (record.kind === 'session') return { path: paths.session(record.id), text: sessionText(record.value) };
  const path = record.value.stage === 'closed' ? paths.completed(record.id) : paths.active(record.id);
  return { path, text: danceText(record.value) };
}
