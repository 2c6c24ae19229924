/**
 * What becomes of the things that episodes are about: a file that does not count, the record of a hearing that cannot go on, a
 * dead pane that could not be saved, the one life of an agent. Looks only: whether it is over (law 8).
 * 1. They are over when the thing is gone from where it stands.
 * 2. A file that was left in place is over too when it changed, and when a later process does not refuse it any more: who
 *    still does says so again.
 * 3. A life: its session ended, waits for its next start, has another life or no record any more. Where an agent waits for a
 *    person or for a usage limit, also when its pane shows that no more.
 * 4. What cannot be looked at is not gone (law 1).
 */
import { ALERT_KINDS } from '../../machines/alert-kinds.ts';
import {
  aboutOf,
  isGroup,
  type Checked,
  type Incarnation,
  type SessionRecord,
  type Subject,
} from '../../machines/protocol.ts';
import { isWatched } from '../../machines/sessions/state.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';

export interface SubjectsDeps {
  readonly disk: Pick<Disk, 'stat' | 'list'>;
  /** null also when its record cannot be read. */
  readonly session: (name: string) => Promise<SessionRecord | null>;
  /** Whether the pane of this life shows what stopped it; null = that life is gone. Rejects when it is unknown. */
  readonly asks: (life: Incarnation) => Promise<boolean | null>;
  /** Whether a dead pane of this session stands in tmux. Rejects when that is unknown. */
  readonly stands: (session: string) => Promise<boolean>;
}

const SUBJECTS: ReadonlyMap<string, Subject> = new Map(
  ALERT_KINDS.flatMap(({ kind, subject }) => (subject === undefined ? [] : [[kind, subject]])),
);

/** Why it is over; null = it is not, or it is about no such thing. Rejects when it is unknown. */
export async function endOf(deps: SubjectsDeps, checked: Checked): Promise<string | null> {
  const { kind, name } = aboutOf(checked.episode);
  const subject = SUBJECTS.get(kind);
  if (isGroup(checked.episode)) return subject === 'file' ? endOfFiles(deps) : null;
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
      return endOfSubject(deps, name, checked, subject);
  }
}

/** Of many files an earlier process knew which: those that were moved away stand in one folder. */
async function endOfFiles({ disk }: SubjectsDeps): Promise<string | null> {
  const { length } = await disk.list(FOLDERS.quarantine);
  return length === 0 ? `No file is in ${FOLDERS.quarantine}/ any more.` : null;
}

/** `refused`: it was, there or where it was moved to. */
async function endOfFile({ disk }: SubjectsDeps, path: string, refused: Checked | null): Promise<string | null> {
  const stat = await disk.stat(path);
  if (stat === null) return `${path} is gone.`;
  const isInPlace = refused !== null && !path.startsWith(`${FOLDERS.quarantine}/`);
  return isInPlace && refused.mark !== stat.mark ? `${path} is another file now, or it counts again.` : null;
}

/** An episode that a hearing names is about the life that was heard; without that life nothing but a later hearing ends it. */
async function endOfSubject(
  deps: SubjectsDeps,
  name: string,
  { session, life }: Checked,
  subject: Extract<Subject, object>,
): Promise<string | null> {
  if (subject.namedBy === undefined) return endOfLife(deps, name, life, subject);
  return typeof session === 'string' && life !== undefined ? endOfLife(deps, session, life, subject) : null;
}

/** Why it is over; null = it is not. Rejects when it is unknown. `life`: its uuid; absent = an older town told it. */
async function endOfLife(
  deps: SubjectsDeps,
  name: string,
  life: string | undefined,
  { lifeShows }: Extract<Subject, object>,
): Promise<string | null> {
  if ((await deps.disk.stat(paths.session(name))) === null) return `The town has no record of ${name} any more.`;
  const record = await deps.session(name);
  if (record === null) return null; // not seen is not gone
  const now = isWatched(record) ? record.incarnation : null;
  const isOver = now === null || (life !== undefined && life !== now.uuid);
  const asks = isOver ? null : lifeShows === 'anything' || (await deps.asks(now));
  if (asks === null) return `The life of ${name} that was heard is over.`;
  return asks ? null : `${name} shows no ${lifeShows} any more.`;
}
