/**
 * What a demo knows of its town at one moment: nothing but what the town's own files show. Reads only.
 */
import type { Dance, SessionRecord } from '../../machines/protocol.ts';
import { STATE } from '../../state/files/policy.ts';
import type { Disk } from '../../state/files/disk.ts';
import { readJournal } from '../../state/journal.ts';
import { runningOf, type GuardPost, type TownPost } from '../../state/process/pid-files.ts';
import { readDances, readSessions, readWarrants, type StoredRecord, type WarrantView } from '../overview/records.ts';
import { read, type Line } from '../journal/lines.ts';
import type { Processes } from '../ports/ports.ts';

export interface Moment {
  /** null = none lives. */
  readonly town: TownPost | null;
  readonly guard: GuardPost | null;
  readonly sessions: ReadonlyMap<string, SessionRecord>;
  /** Hearings under way … */
  readonly open: readonly StoredRecord<Dance>[];
  /** … and those that are over. */
  readonly closed: readonly StoredRecord<Dance>[];
  readonly warrants: readonly WarrantView[];
  /** The whole journal, oldest first. */
  readonly lines: readonly Line[];
}

export async function look(disk: Disk, processes: Pick<Processes, 'alive'>): Promise<Moment> {
  const running = runningOf(disk, STATE.maxRecordBytes);
  const said = await running.town();
  const [guard, sessions, { open, closed }, { warrants }] = await Promise.all([
    running.guard(),
    readSessions(disk),
    readDances(disk),
    readWarrants(disk),
  ]);
  const lines: Line[] = [];
  for await (const line of readJournal(disk)) lines.push(read(line));
  return {
    town: said.kind === 'town' && processes.alive(said.town) ? said.town : null,
    guard: guard !== null && processes.alive(guard) ? guard : null,
    sessions: new Map(sessions.found.map(({ value }) => [value.spec.name, value])),
    open,
    closed,
    warrants,
    lines,
  };
}
