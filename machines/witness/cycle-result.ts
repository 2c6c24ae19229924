/** What a cycle of a witness comes to: how much it looked at, what came of its acts, and whether the next one comes soon. Pure. */
import { hasChanged } from '../patrols/changes.ts';
import { isReady } from '../patrols/dispatch.ts';
import type { Deed, Patrolled } from '../protocol/patrols.ts';
import { isStalled } from './hook.ts';
import type { PolecatSeen, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';

export function foundBy(seen: WitnessSeen, all: readonly Deed[], policy: WitnessPolicy): Patrolled {
  const { polecats, letters, wisps, rig } = seen;
  // That work waits for a configuration is no deed; it is a list of its own.
  const deeds = all.filter(({ act }) => act !== 'strand');
  const stranded = all.filter(({ act }) => act === 'strand').map(({ about }) => about);
  const given = new Set(deeds.flatMap(({ act, done, about }) => (act === 'spawn' && done ? [about] : [])));
  const working = polecats.filter((one) => isWorking(one) && !isStalled(one, policy)).length;
  const observed = {
    polecats: polecats.length,
    letters: letters.length,
    work: rig.work.length,
    wisps: wisps.length,
    working,
    // Beads that a polecat would do, had there been room for another.
    waiting: rig.hasAgent ? rig.work.filter((work) => isReady(work) && !given.has(work.id)).length : 0,
  };
  return { observed, deeds, stranded, isActive: working > 0 || hasChanged(deeds), isPaused: false };
}

/** One that is seen dead for the first time counts: the next look decides. */
const isWorking = ({ hook, session, isConfirmed }: PolecatSeen): boolean =>
  hook !== null && (session !== 'dead' || !isConfirmed);
