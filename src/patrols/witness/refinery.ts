/** A rig's refinery, as its witness sees it: what waits in its mailbox, its session, and what was done about both. */
import { refineryAddress, sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import type { RefinerySeen } from '../../../machines/witness/observation.ts';
import { isLatched } from '../../../machines/sessions/state.ts';
import { NO_REFINERY, REFINERY } from '../../../machines/witness/refinery.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { ifUnread, RecordUnread } from '../../../state/files/strict-read.ts';
import { notesOf } from '../../../state/patrols/notes.ts';
import { readSession } from '../../overview/records.ts';
import { mainOf } from '../../rigs/main-branch.ts';
import { SESSION, type Door, type Standing } from '../../rigs/sessions.ts';
import { baseTag } from '../../sessions/agent-marks.ts';
import { answerIn, EXIT, Failure } from '../../terminal/failure.ts';
import { agoOf, NOT_EXEMPT, unreadSeen } from '../memory/notes.ts';
import type { Request } from './handed.ts';
import { age } from '../../ports/age.ts';

/** The kind of the note about a start that follows soon after the one before. */
export const RESTARTED = 'again';

interface RefineryLook {
  readonly disk: Disk;
  readonly now: number;
  readonly rig: string;
  readonly hasCommand: boolean;
  readonly standing: (session: string) => Standing;
}

export async function refinerySeen(
  { disk, now, rig, hasCommand, standing }: RefineryLook,
  requests: readonly Request[],
): Promise<RefinerySeen> {
  if (requests.length === 0) return { ...NO_REFINERY, hasCommand };
  const address = refineryAddress(rig);
  const session = sessionOfAgent(address);
  const record = await readSession(disk, session);
  const notes = await ifUnread(notesOf(disk, address), (unread) => unread);
  if (notes instanceof RecordUnread)
    return { ...NO_REFINERY, hasCommand, waiting: requests.length, unread: unreadSeen(notes) };
  const { 'hook-exempt': refused, start, wake, queue } = notes;
  return {
    refusedMs: refused?.kind === NOT_EXEMPT ? null : agoOf(refused, now),
    hasCommand,
    session: SESSION[standing(session)],
    isStopped: record !== null && isLatched(record),
    waiting: requests.length,
    oldestMs: Math.max(...requests.map(({ sentAt }) => age(sentAt, now))),
    startedMs: agoOf(start, now),
    isRestarted: start?.kind === RESTARTED,
    wokenMs: agoOf(wake, now),
    nudgedMs: agoOf(queue, now),
  };
}

/** Its session. Throws `Failure` where the town refuses it, or where no command is named. */
export async function startRefinery(
  door: Pick<Door, 'ask'>,
  rig: RigRecord,
  { refinery }: { readonly refinery: readonly string[] | null },
): Promise<void> {
  const { name, repo } = rig;
  if (refinery === null) throw new Failure(EXIT.refused, 'no_refinery', `[rig.${name}] names no refinery`);
  const tags = [REFINERY, `rig:${name}`, baseTag((await mainOf(rig)).branch)];
  const how = { tags, restart: 'temporary', process: null } as const;
  const spec = { name: sessionOfAgent(refineryAddress(name)), command: refinery, dir: repo, ...how };
  answerIn(await door.ask({ verb: 'startSession', spec }));
}
