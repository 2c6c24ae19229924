/** What a look at panes needs, without a running town: the root's tmux, the packs, and what the town typed. */
import type { Ms } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import { tokenOnDisk } from '../../state/sessions/tokens.ts';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../ports/clock.ts';
import { createProcesses } from '../proc/processes.ts';
import { Packs, packsFolder } from '../screen/packs.ts';
import { heldByTown } from '../sources/claude-hooks.ts';
import { Sources } from '../sources/sources.ts';
import { readSessions, readTyped } from './records.ts';
import { doorTo, see, type SessionSeen } from './scene.ts';
import { aroundNow, studiesOf, type Shows, type Study, type StudyDeps } from './study.ts';

/** The parts that change from look to look. */
type OnRecord = 'records' | 'typedTo' | 'wall';

/** The parts that all looks share. `waitMs`: as in `SourcesDeps`. */
export async function eyesOf(
  settings: StudyDeps['settings'] & Pick<Settings, 'process' | 'tmux'>,
  disk: Disk,
  refused: (text: string) => void,
  waitMs?: Ms,
): Promise<Omit<StudyDeps, OnRecord> & { readonly packs: Packs }> {
  const processes = createProcesses();
  const tmux = await doorTo(settings, disk);
  const packs = new Packs({ folder: packsFolder(settings.root), refused });
  const held = heldByTown(settings, (uuid) => tokenOnDisk(disk, uuid));
  const sources = new Sources({ processes, packs, clock: systemClock, held, waitMs });
  return { settings, processes, tmux, packs, sources };
}

export async function onRecord(disk: Disk): Promise<Pick<StudyDeps, OnRecord>> {
  const { found } = await readSessions(disk);
  return { records: found.map(({ value }) => value), typedTo: await readTyped(disk), wall: Date.now() };
}

/** The panes of the lives that these sessions have, by the names of their records: a person may have renamed them in tmux. */
const panesOf = (
  { records }: Pick<StudyDeps, 'records'>,
  sessions: readonly SessionSeen[],
  names: ReadonlySet<string | null>,
): Shows[] =>
  records.flatMap(({ spec: { name }, incarnation }) => {
    const session = names.has(name)
      ? sessions.find(({ sessionId }) => sessionId === incarnation?.sessionId)
      : undefined;
    const pane = session?.panes.find(({ paneId }) => paneId === incarnation?.paneId);
    return session === undefined || pane === undefined ? [] : [{ session: { ...session, name }, pane }];
  });

/** The same panes studied. tmux gives the ids of a server that ended again: what another server shows is left out. */
export async function studiesOfOwn(
  deps: StudyDeps,
  sessions: readonly SessionSeen[],
  names: ReadonlySet<string | null>,
): Promise<readonly Study[]> {
  const studies = await studiesOf(deps, await aroundNow(deps), panesOf(deps, sessions, names));
  const servers = new Map(deps.records.map(({ spec, incarnation }) => [spec.name, incarnation?.server.pid]));
  return studies.filter(({ session, picture }) => servers.get(session) === picture.serverPid);
}

/** The pane of the life that this session has; `unknown`: tmux gives no answer. null = tmux shows none. */
export async function studyOwn(deps: StudyDeps, name: string): Promise<Study | 'unknown' | null> {
  const { sessions, fault } = await see(deps.tmux);
  if (fault !== null) return 'unknown';
  return (await studiesOfOwn(deps, sessions, new Set([name])))[0] ?? null;
}
