/**
 * The end of an agent's life, asked for by a warrant as anybody asks: one for a life and a reason, however many cycles want it. An
 * agent that wishes its end needs no hearing, and its work is saved all the same; any other is heard, and may wish its end after that.
 */
import type { Disk } from '../../../state/files/disk.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import { withChecksum } from '../../../state/files/checksum.ts';
import { FOLDERS, paths } from '../../../state/files/layout.ts';
import type { WarrantFile } from '../../../state/hearings/schemas.ts';
import type { Incarnation } from '../../../machines/protocol.ts';
import { sessionOfAgent } from '../../../machines/rigs/names.ts';
import { keepNote, noteOf, type Note } from '../../../state/patrols/notes.ts';
import { coveredBy } from '../../config/glob.ts';
import { readSession } from '../../overview/records.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { witnessOf } from '../memory/evidence.ts';
import { age } from '../../ports/age.ts';

export interface EndNeeds {
  readonly disk: Disk;
  readonly rig: string;
  /** Globs of sessions that only an operator touches. */
  readonly protects: readonly string[];
  readonly now: number;
  /** A life that outlasts its warrant by this is reported as not done; one whose hearing is over, at once. */
  readonly patienceMs: number;
}

export interface EndWanted {
  readonly agent: string;
  readonly isVoluntary: boolean;
  readonly why: string;
}

/** The reasons that a request may have; a life's own wish covers a hearing, and no hearing covers that wish. */
type Reason = 'done' | 'over';
/** The life was heard because its work is over, by the note of its end. A report of idle says no more than it did before that. */
export const wasHeard = (end: Note | undefined, uuid: string): boolean =>
  end?.kind === ('over' satisfies Reason) && end.text === uuid;
const idOf = (reason: Reason, uuid: string): string => `${reason}-${uuid}`;

/** The outcome. Rejects if the agent may not be ended, or if it lives on after that. */
export async function askForEnd(needs: EndNeeds, { agent, isVoluntary, why }: EndWanted): Promise<string> {
  const { disk, rig, now } = needs;
  const session = sessionOfAgent(agent);
  const life = await lifeToEnd(needs, session);
  const reason: Reason = isVoluntary ? 'done' : 'over';
  const before = await noteOf(disk, agent, 'end');
  if (before?.text === life.uuid && (before.kind === reason || reason === 'over')) {
    const livesOn = await outlasts(needs, before);
    if (livesOn === null) return `it is asked for already: ${why}`;
    throw new Error(`${why}; ${livesOn}, and ${session} lives on: town why ${session}`);
  }
  const id = idOf(reason, life.uuid);
  await fileWarrant(needs, { id, session, reason: why, requester: witnessOf(rig), force: isVoluntary });
  await keepNote(disk, agent, 'end', { kind: reason, text: life.uuid, at: now });
  return isVoluntary ? why : `it is heard first: ${why}`;
}

/** What the request came to; null = that is not known yet. A note of an older town has the kind `end` for either reason. */
async function outlasts({ disk, now, patienceMs }: EndNeeds, { kind, text, at }: Note): Promise<string | null> {
  if (kind === 'over' && !(await isOpen(disk, idOf(kind, text)))) return 'its hearing is over';
  return age(at, now) < patienceMs ? null : 'its end was asked for';
}

/** A warrant's file is there until its hearing is closed. */
const isOpen = async (disk: Disk, id: string): Promise<boolean> =>
  (await disk.stat(paths.warrant(id))) !== null || (await disk.stat(paths.held(id))) !== null;

interface WarrantWish {
  readonly id: string;
  readonly session: string;
  readonly reason: string;
  readonly requester: string;
  /** Without a hearing. */
  readonly force: boolean;
}

/** Against the life that the session has; the same id once more is the same warrant. */
export async function fileWarrant(needs: EndNeeds, { session, ...wish }: WarrantWish): Promise<void> {
  const { disk, now } = needs;
  const incarnation = await lifeToEnd(needs, session);
  const warrant: WarrantFile & { readonly schema: 'warrant/1' } = {
    schema: 'warrant/1',
    ...wish,
    target: session,
    filed_at: new Date(now).toISOString(),
    incarnation,
    via: 'town',
  };
  await disk.mkdir(FOLDERS.warrants);
  await writeFiles(disk, [{ path: paths.warrant(wish.id), text: withChecksum(warrant) }]);
}

/** Throws `Failure` where it may not be ended, or never lived. */
async function lifeToEnd({ disk, protects }: EndNeeds, session: string): Promise<Incarnation> {
  const glob = coveredBy(session, protects);
  if (glob !== null) throw new Failure(EXIT.refused, 'protected_target', `${session} is protected by ${glob}`);
  const life = (await readSession(disk, session))?.incarnation ?? null;
  if (life === null) throw new Failure(EXIT.failed, 'not_lived', `${session} has no life to end`);
  return life;
}
