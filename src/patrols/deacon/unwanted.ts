/**
 * Unwanted sessions that the town started for a rig, or as its Deacon: the rig was removed, the town patrols by itself again, or
 * town.toml names another refinery, or none. Each ends by the town's order, its work saved first, and is forgotten once it has ended. A
 * person at its keys suspends that (law 6), so an order that came to nothing is given again; a session that the operator stopped stays
 * as it is.
 */
import { isDeepStrictEqual } from 'node:util';
import { isEndedByTown } from '../../../machines/sessions/state.ts';
import { unwantedAct } from '../../../machines/witness/session.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { ifUnread, RecordUnread } from '../../../state/files/strict-read.ts';
import { forgetNotes, keepNote, notesOf, type Note } from '../../../state/patrols/notes.ts';
import type { RigRecords } from '../../../state/rigs/records.ts';
import { readSession } from '../../overview/records.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { answerIn } from '../../terminal/failure.ts';
import { refineryAddress } from '../../../machines/rigs/names.ts';
import { witnessSession } from '../agent/watch.ts';
import type { Acting, Found } from './needs.ts';
import { attempt, type TownAct } from '../memory/outcome.ts';
import { patrolOf } from '../memory/evidence.ts';
import { agoOf } from '../memory/notes.ts';
import { order } from '../../ports/age.ts';

export type UnwantedNeeds = Pick<Acting, 'disk' | 'settings' | 'sessions' | 'standings' | 'client' | 'doing'> & {
  readonly records: Pick<RigRecords, 'rigs'>;
};

interface Unwanted {
  readonly name: string;
  /** Of the life that it has, or had last. */
  readonly uuid: string;
  /** As what it was started. */
  readonly agent: string;
  /** In words. */
  readonly why: string;
}

const wallOrder = (one: Note | undefined): number | null => (one === undefined ? null : order(one.at));

const PATROLS = 'its rig is gone, or the town patrols by itself';
const MERGES = 'its rig is gone, or town.toml names another refinery, or none';

const RIG = 'rig:';
const TAGS: ReadonlySet<string> = new Set(['witness', 'refinery', 'deacon']);

export async function unwantedRound(needs: UnwantedNeeds, now: number): Promise<Found> {
  const acts: TownAct[] = [];
  const unwanted = await unwantedIn(needs);
  if (unwanted.length === 0) return { seen: 0, acts };
  const standing = await needs.standings();
  for (const one of unwanted) {
    const notes = await ifUnread(notesOf(needs.disk, one.agent), (unread) => unread);
    if (notes instanceof RecordUnread) {
      acts.push({ act: 'stop', about: one.name, done: false, text: notes.message });
      continue;
    }
    const { start, stop } = notes;
    const session = standing(one.name);
    const act = unwantedAct({
      session,
      startedAt: wallOrder(start),
      stoppedAt: wallOrder(stop),
      stoppedMs: agoOf(stop, now),
      // If the town died between the order and its note, the session's record still says whose order ended it.
      isStoppedLife: stop?.text === one.uuid || (session === 'ended' && (await hasTownEnded(needs.disk, one))),
    });
    if (act === null) continue;
    await needs.doing(`${act} ${one.name}`);
    acts.push(await attempt({ act, about: one.name }, () => perform(needs, one, act, now)));
  }
  return { seen: unwanted.length, acts };
}

async function unwantedIn({ settings, records, sessions }: UnwantedNeeds): Promise<Unwanted[]> {
  // One whose start is under way has no life yet: the next round sees which one it stops, and can forget it.
  const ours = (await sessions()).flatMap(({ uuid, ...one }) =>
    uuid !== null && one.state !== 'foreign' && one.tags.some((tag) => TAGS.has(tag)) ? [{ ...one, uuid }] : [],
  );
  if (ours.length === 0) return [];
  const { found, unreadable } = await records.rigs();
  // A rig whose record cannot be read is there.
  if (unreadable.length > 0) return [];
  return ours.flatMap(({ name, uuid, tags, command }): Unwanted[] => {
    const unwanted = (agent: string, why = PATROLS): Unwanted[] => [{ name, uuid, agent, why }];
    if (tags.includes('deacon')) return settings.policy.watchdog.deacon.mode === 'session' ? [] : unwanted('deacon');
    const of = tags.find((tag) => tag.startsWith(RIG))?.slice(RIG.length);
    if (of === undefined) return [];
    const rig = found.find((one) => one.name === of);
    if (tags.includes('refinery')) {
      const named = rig === undefined ? null : choicesOf(settings, rig).refinery;
      // A session without a command of its own is not known to be another refinery.
      const isNamed = named !== null && (command.length === 0 || isDeepStrictEqual(named, command));
      return isNamed ? [] : unwanted(refineryAddress(of), MERGES);
    }
    const isWanted = rig !== undefined && witnessSession(settings, rig)?.name === name;
    return isWanted ? [] : unwanted(patrolOf(of));
  });
}

async function hasTownEnded(disk: Disk, { name, uuid }: Unwanted): Promise<boolean> {
  const record = await readSession(disk, name);
  return record !== null && record.incarnation?.uuid === uuid && isEndedByTown(record);
}

async function perform(
  { disk, client }: UnwantedNeeds,
  { name, uuid, agent, why }: Unwanted,
  act: 'stop' | 'forget',
  now: number,
): Promise<string> {
  if (act === 'forget') {
    answerIn(await client.ask({ verb: 'removeSession', name }));
    await forgetNotes(disk, agent);
    return 'it has ended';
  }
  answerIn(await client.ask({ verb: 'stopSession', name, then: 'end', force: false }));
  await keepNote(disk, agent, 'stop', { kind: 'stop', text: uuid, at: now });
  return why;
}
