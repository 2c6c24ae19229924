/**
 * Episodes that a hearing left to a person, each about one life of one agent. Owns: when their subject is over (law 8).
 * 1. With that life: its session ended, waits for its next start, has another life, or has no record any more.
 * 2. Where an agent waits for a person, for a usage limit or after an error, also when its pane shows that no more.
 * 3. What cannot be seen is not over (law 1).
 */
import { AGENT_ERROR, ESCALATED, NEEDS_INPUT, USAGE_LIMIT } from '../../machines/alerts/episodes.ts';
import type { Checked, Incarnation, SessionRecord } from '../../machines/protocol.ts';
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

/** What the pane of such an episode shows for as long as it stands. */
const SHOWN = new Map([
  [NEEDS_INPUT, 'dialog'],
  [USAGE_LIMIT, 'usage limit'],
  [AGENT_ERROR, 'error'],
]);

/** Why it is over; null = it is not, or it is about no life. Rejects when it cannot be told. */
export async function endOfLife(deps: LivesDeps, { episode, life }: Checked): Promise<string | null> {
  const kind = [...SHOWN.keys(), ESCALATED].find((one) => episode.startsWith(one));
  if (kind === undefined) return null;
  const name = episode.slice(kind.length);
  if ((await deps.disk.stat(paths.session(name))) === null) return `The town has no record of ${name} any more.`;
  const record = await deps.session(name);
  if (record === null) return null; // not seen is not gone
  const now = isWatched(record) ? record.incarnation : null;
  const isOver = now === null || (life !== undefined && life !== now.uuid);
  const what = SHOWN.get(kind);
  const asks = isOver ? null : what !== undefined ? await deps.asks(now) : true;
  if (asks === null) return `The life of ${name} that was heard is over.`;
  return asks ? null : `${name} shows no ${what ?? 'dialog'} any more.`;
}
