/** A rig's refinery, as its witness sees it: what waits in its mailbox, its session, and what was done about both. */
import { isDeepStrictEqual } from 'node:util';
import { refineryAddress, sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { SessionRecord } from '../../../machines/protocol.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import type { RefinerySeen } from '../../../machines/witness/refinery-seen.ts';
import type { TriageCase } from '../../../machines/triage/cases.ts';
import { isLatched } from '../../../machines/sessions/state.ts';
import { NO_REFINERY, REFINERY } from '../../../machines/witness/refinery.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { ifUnread, RecordUnread } from '../../../state/files/strict-read.ts';
import { notesOf } from '../../../state/patrols/notes.ts';
import { readSession } from '../../overview/records.ts';
import { mainOf } from '../../rigs/main-branch.ts';
import { SESSION, type TownClient, type Standing } from '../../rigs/sessions.ts';
import { baseTag } from '../../sessions/agent-marks.ts';
import { answerIn, EXIT, Failure } from '../../terminal/failure.ts';
import { agoOf, NOT_EXEMPT, unreadSeen } from '../memory/notes.ts';
import type { Request } from './refinery-work.ts';
import { age, order } from '../../ports/age.ts';

/** The kind of the note about a start that follows soon after the one before. */
export const RESTARTED = 'again';

export interface RefineryLook {
  readonly disk: Disk;
  readonly now: number;
  readonly rig: string;
  readonly command: readonly string[] | null;
  readonly standing: (session: string) => Standing;
  /** Open cases of triage. */
  readonly cases: () => Promise<readonly Pick<TriageCase, 'id' | 'type' | 'agent' | 'state'>[]>;
  /** Why the program of its command is not found, as a sentence; null = it is, or that is unknown. */
  readonly missing: () => Promise<string | null>;
}

export async function refinerySeen(look: RefineryLook, requests: readonly Request[]): Promise<RefinerySeen> {
  const { disk, now, rig } = look;
  const hasCommand = look.command !== null;
  const address = refineryAddress(rig);
  if (requests.length === 0) return { ...NO_REFINERY, hasCommand, undecided: await undecidedOf(look, address) };
  const record = await readSession(disk, sessionOfAgent(address));
  const notes = await ifUnread(notesOf(disk, address), (unread) => unread);
  if (notes instanceof RecordUnread)
    return { ...NO_REFINERY, hasCommand, waiting: requests.length, unread: unreadSeen(notes) };
  const { 'hook-exempt': refused, start, wake, queue } = notes;
  const born = record?.startedAt ?? null;
  const starts = [start?.at ?? null, born].filter((at) => at !== null);
  return {
    refusedMs: refused?.kind === NOT_EXEMPT ? null : agoOf(refused, now),
    hasCommand,
    ...(await sessionSeen(look, record)),
    waiting: requests.length,
    oldestMs: Math.max(...requests.map(({ sentAt }) => age(sentAt, now))),
    startedMs: starts.length === 0 ? null : Math.min(...starts.map((at) => age(at, now))),
    // A start that was refused began no life: it is tried again in the next round.
    isRestarted: start?.kind === RESTARTED && born !== null && order(born) >= order(start.at),
    wokenMs: agoOf(wake, now),
    nudgedMs: agoOf(queue, now),
    undecided: [],
  };
}

const undecidedOf = async ({ cases }: Pick<RefineryLook, 'cases'>, address: string): Promise<string[]> =>
  (await cases())
    .filter(({ type, agent, state }) => type === 'queue_health' && agent === address && state === 'open')
    .map(({ id }) => id);

type SessionSeen = Pick<RefinerySeen, 'missing' | 'session' | 'isOther' | 'isStopped'>;

async function sessionSeen(
  { rig, command, standing, missing }: RefineryLook,
  record: SessionRecord | null,
): Promise<SessionSeen> {
  const session = SESSION[standing(sessionOfAgent(refineryAddress(rig)))];
  if (record === null)
    return { session, isOther: false, isStopped: false, missing: session === 'dead' ? await missing() : null };
  const { state, spec } = record;
  const isOver = session === 'dead' || state === 'backing_off';
  return {
    session: session === 'alive' && (isOver || state === 'starting') ? 'waits' : session,
    isOther: isOver && command !== null && !isDeepStrictEqual(spec.command, command),
    isStopped: isLatched(record),
    missing: isOver ? await missing() : null,
  };
}

/** Its session. Throws `Failure` where the town refuses it, or where no command is named. */
export async function startRefinery(
  client: Pick<TownClient, 'ask'>,
  rig: RigRecord,
  { refinery }: { readonly refinery: readonly string[] | null },
): Promise<void> {
  const { name, repo } = rig;
  if (refinery === null) throw new Failure(EXIT.refused, 'no_refinery', `[rig.${name}] names no refinery`);
  const tags = [REFINERY, `rig:${name}`, baseTag((await mainOf(rig)).branch)];
  const how = { tags, restart: 'transient', process: null } as const;
  const spec = { name: sessionOfAgent(refineryAddress(name)), command: refinery, dir: repo, ...how };
  answerIn(await client.ask({ verb: 'startSession', spec }));
}
