/**
 * Episodes that are about one life of an agent: when that is over (law 8).
 * 1. Its session ended, waits for its next start, has another life, or has no record any more.
 * 2. Where an agent waits for a person, for a usage limit or after an error, also when its pane shows that no more.
 * 3. What cannot be seen is not over (law 1).
 */
import type { Incarnation, SessionRecord, Subject } from '../../machines/protocol.ts';
import { isWatched } from '../../machines/sessions/state.ts';
import type { Disk } from '../../state/files/disk.ts';
import { paths } from '../../state/files/layout.ts';

export interface LivesDeps {
  readonly disk: Pick<Disk, 'stat'>;
  /** null also when its record cannot be read. */
  readonly session: (name: string) => Promise<SessionRecord | null>;
  /** Whether the pane of this life shows what stopped it; null = that life is gone. Rejects when it cannot be told. */
  readonly asks: (life: Incarnation) => Promise<boolean | null>;
}

/** Why it is over; null = it is not. Rejects when it cannot be told. `life`: its uuid; absent = an older town told it. */
export async function endOfLife(
  deps: LivesDeps,
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
