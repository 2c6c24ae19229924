/**
 * Unwanted sessions that the town started for a rig, or as its Deacon: the rig was removed, or the town patrols by
 * itself again. Each ends as by an operator, its work saved first, and is forgotten once it has ended.
 */
import { unwantedAct } from '../../../machines/witness/session.ts';
import type { RigRecords } from '../../../state/rigs/records.ts';
import { answerIn } from '../../terminal/failure.ts';
import { memoryOf, witnessSession } from '../agent/watch.ts';
import type { Acting, Found } from './needs.ts';
import { attempt, type TownAct } from '../memory/outcome.ts';
import { refineryOf } from '../witness/refinery.ts';
import type { Evidence } from '../../../state/ledger/port.ts';
import { newestOf } from '../../ledger/walk.ts';
import { order } from '../../ports/age.ts';

export type UnwantedNeeds = Pick<Acting, 'ledger' | 'settings' | 'sessions' | 'standings' | 'door' | 'doing'> & {
  readonly records: Pick<RigRecords, 'rigs'>;
};

interface Unwanted {
  readonly name: string;
  /** Of the life that it has, or had last. */
  readonly uuid: string | null;
  /** Who remembers that it was started, and that it was ended. */
  readonly memory: (what: 'start' | 'stop') => string;
}

const wallOrder = (one: Evidence | null | undefined): number | null =>
  one === null || one === undefined ? null : order(one.at);

const RIG = 'rig:';
const TAGS: ReadonlySet<string> = new Set(['witness', 'refinery', 'deacon']);

export async function unwantedRound(needs: UnwantedNeeds, now: number): Promise<Found> {
  const acts: TownAct[] = [];
  const unwanted = await unwantedIn(needs);
  if (unwanted.length === 0) return { seen: 0, acts };
  const standing = await needs.standings();
  for (const one of unwanted) {
    const [started, stopped] = await Promise.all(
      (['start', 'stop'] as const).map((what) => newestOf(needs.ledger, one.memory(what))),
    );
    const act = unwantedAct({
      session: standing(one.name),
      startedAt: wallOrder(started),
      stoppedAt: wallOrder(stopped),
      isStoppedLife: stopped?.text === one.uuid,
    });
    if (act === null) continue;
    await needs.doing(`${act} ${one.name}`);
    acts.push(await attempt({ act, about: one.name }, () => perform(needs, one, act, now)));
  }
  return { seen: unwanted.length, acts };
}

async function unwantedIn({ settings, records, sessions }: UnwantedNeeds): Promise<Unwanted[]> {
  const ours = (await sessions()).filter(({ state, tags }) => state !== 'foreign' && tags.some((tag) => TAGS.has(tag)));
  if (ours.length === 0) return [];
  const { found, unreadable } = await records.rigs();
  // A rig whose record cannot be read is there.
  if (unreadable.length > 0) return [];
  return ours.flatMap(({ name, uuid, tags }): Unwanted[] => {
    const unwanted = (memory: Unwanted['memory']): Unwanted[] => [{ name, uuid, memory }];
    if (tags.includes('deacon'))
      return settings.policy.watchdog.deacon.mode === 'session' ? [] : unwanted((what) => memoryOf('deacon', what));
    const of = tags.find((tag) => tag.startsWith(RIG))?.slice(RIG.length);
    if (of === undefined) return [];
    const rig = found.find((one) => one.name === of);
    if (tags.includes('refinery')) return rig === undefined ? unwanted((what) => refineryOf(of, what)) : [];
    const isWanted = rig !== undefined && witnessSession(settings, rig)?.name === name;
    return isWanted ? [] : unwanted((what) => memoryOf(of, what));
  });
}

async function perform(
  { ledger, door }: UnwantedNeeds,
  { name, uuid, memory }: Unwanted,
  act: 'stop' | 'forget',
  now: number,
): Promise<string> {
  if (act === 'forget') {
    answerIn(await door.ask({ verb: 'removeSession', name }));
    return 'it has ended';
  }
  answerIn(await door.ask({ verb: 'stopSession', name, then: 'end', force: false }));
  const author = memory('stop');
  await ledger.addEvidence({ id: `${author}-${String(now)}`, author, kind: 'stop', text: uuid ?? '', at: now });
  return 'its rig is gone, or the town patrols by itself';
}
