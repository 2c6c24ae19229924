/** A warrant's file is bound to one life of its target (law 3): the file's own word for it counts only as far as it agrees. */
import { isOperatorsForce } from '../../machines/hearings/dance.ts';
import type { Incarnation, SessionRecord, Warrant } from '../../machines/protocol.ts';
import { showText } from '../files/show-text.ts';
import type { WarrantFile } from './schemas.ts';
import type { RecordFile } from '../files/record-folder.ts';

export type Bound = { readonly warrant: Warrant } | { readonly why: string };

/** Binds a file to one life of its target. `session` is the target's record, null when the town has none. */
export function bind(record: RecordFile<WarrantFile>, session: SessionRecord | null, isProtected: boolean): Bound {
  const { value: file, stat, name } = record;
  const via = record.isChecksummed ? file.via : undefined; // any other writer is unknown
  const force = isForced(record);
  if (isProtected && !isOperatorsForce({ force, via, requester: file.requester }, file.target))
    return { why: `the session ${showText(file.target)} is protected` };
  const target = targetLife(record, session);
  if (typeof target === 'string') return { why: target };
  const filedAt = file.filed_at === undefined ? Math.floor(stat.changedAt) : Date.parse(file.filed_at);
  return {
    warrant: {
      id: file.id ?? name.slice(0, -'.json'.length),
      target,
      reason: file.reason,
      requester: file.requester,
      filedAt,
      force,
      ...(via !== undefined && { via }),
    },
  };
}

/** Without our sum any program may have written the word; a hearing costs nothing but time. */
function isForced({ value, isChecksummed }: RecordFile<WarrantFile>): boolean {
  return isChecksummed && value.force === true && value.via !== 'agent';
}

function targetLife(
  { value, stat, isChecksummed }: RecordFile<WarrantFile>,
  session: SessionRecord | null,
): Incarnation | string {
  const named = value.incarnation;
  if (named !== undefined && named.session !== value.target) {
    return `it names the session ${showText(value.target)}, but a life of ${showText(named.session)}`;
  }
  const current = session?.incarnation ?? null;
  if (named !== undefined) {
    if (current?.uuid === named.uuid) return current;
    return isChecksummed
      ? named
      : `it names the life ${showText(named.uuid)}, which is not the present one of ${showText(value.target)}`;
  }
  if (session === null) {
    return `the town knows no session ${showText(value.target)} (see \`town session list\`; \`town session adopt\` makes one known)`;
  }
  if (current === null) return `the session ${showText(value.target)} has not lived yet`;
  // Law 3: it was written about an earlier life. The file's own time is the kernel's, unlike the one inside.
  if (session.startedAt !== null && stat.changedAt < session.startedAt) {
    return `it was filed before the present life of ${showText(value.target)} began; file it again if it still holds`;
  }
  return current;
}
