/**
 * What becomes of the things that episodes are about: a file that does not count, the record of a hearing that cannot go on, a
 * dead pane that could not be saved; or the life of an agent (lives.ts). Looks only: whether it is over (law 8).
 * 1. They are over when the thing is gone from where it stands.
 * 2. A file that was left in place is over too when it changed, and when a later process does not refuse it any more: who
 *    still does says so again.
 * 3. What cannot be looked at is not gone.
 */
import { ALERT_KINDS } from '../../machines/alert-kinds.ts';
import { aboutOf, type Checked, type Subject } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { endOfLife, type LivesDeps } from './lives.ts';

export interface SubjectsDeps extends LivesDeps {
  /** Whether a dead pane of this session stands in tmux. Rejects when that cannot be told. */
  readonly stands: (session: string) => Promise<boolean>;
}

const SUBJECTS: ReadonlyMap<string, Subject> = new Map(
  ALERT_KINDS.flatMap(({ kind, subject }) => (subject === undefined ? [] : [[kind, subject]])),
);

/** Why it is over; null = it is not, or it is about no such thing. Rejects when it cannot be told. */
export async function endOf(deps: SubjectsDeps, checked: Checked): Promise<string | null> {
  const { kind, name } = aboutOf(checked.episode);
  const subject = SUBJECTS.get(kind);
  switch (subject) {
    case undefined:
      return null;
    case 'file':
      return endOfFile(deps, name, checked);
    case 'record':
      return endOfFile(deps, paths.active(name), null);
    case 'dead pane':
      return (await deps.stands(name)) ? null : `No dead pane of ${name} stands in tmux.`;
    default:
      return endOfLife(deps, name, checked.life, subject);
  }
}

/** `refused`: it was, there or where it was moved to. */
async function endOfFile(
  { disk }: { disk: Pick<Disk, 'stat'> },
  path: string,
  refused: Checked | null,
): Promise<string | null> {
  const stat = await disk.stat(path);
  if (stat === null) return `${path} is gone.`;
  const isInPlace = refused !== null && !path.startsWith(`${FOLDERS.quarantine}/`);
  return isInPlace && refused.mark !== stat.mark ? `${path} is another file now, or it counts again.` : null;
}
