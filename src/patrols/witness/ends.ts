/**
 * The end of an agent's life, asked for by a warrant as anybody asks: one for a life, however many cycles want it. Who wishes its end
 * itself needs no hearing, and its work is saved all the same; anybody else is heard.
 */
import type { Disk } from '../../../state/files/disk.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import { withChecksum } from '../../../state/files/checksum.ts';
import { FOLDERS, paths } from '../../../state/files/layout.ts';
import type { WarrantFile } from '../../../state/hearings/schemas.ts';
import type { Incarnation } from '../../../machines/protocol.ts';
import { sessionOfAgent } from '../../../machines/rigs/names.ts';
import { keepNote, noteOf } from '../../../state/patrols/notes.ts';
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
  /** A life that outlasts its warrant by this is reported as not done. */
  readonly patienceMs: number;
}

export interface EndWanted {
  readonly agent: string;
  readonly isVoluntary: boolean;
  readonly why: string;
}

/** The outcome. Rejects if the agent may not be ended, or if it still runs long after the request. */
export async function askForEnd(needs: EndNeeds, { agent, isVoluntary, why }: EndWanted): Promise<string> {
  const { disk, rig, now } = needs;
  const session = sessionOfAgent(agent);
  const life = await lifeToEnd(needs, session);
  const before = await noteOf(disk, agent, 'end');
  if (before?.text === life.uuid) {
    if (age(before.at, now) < needs.patienceMs) return `its end was asked for: ${why}`;
    throw new Error(`${why}; its end was asked for, and ${session} lives on: town why ${session}`);
  }
  const id = `${isVoluntary ? 'done' : 'over'}-${life.uuid}`;
  await fileWarrant(needs, { id, session, reason: why, requester: witnessOf(rig), force: isVoluntary });
  await keepNote(disk, agent, 'end', { kind: 'end', text: life.uuid, at: now });
  return isVoluntary ? `its end is asked for: ${why}` : `it is heard: ${why}`;
}

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
