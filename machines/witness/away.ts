/**
 * A remote that is away. What only its answer can bring on waits for that: such work fails by no fault of its agent, and one alert says
 * it for all. Everything else goes on.
 */
import { stand } from '../patrols/stands.ts';
import { isSameAgent } from '../rigs/names.ts';
import { times } from '../kernel/span.ts';
import type { TriageType } from '../triage/cases.ts';
import type { Acts } from './acts.ts';
import type { CycleAct } from './cycle-step.ts';
import type { PolecatSeen, WitnessSeen } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';

type Policy = Pick<WitnessPolicy, 'remoteAwayMs'>;

const isUnpushed = ({ tree }: PolecatSeen): boolean => tree === 'unpushed';

/** Questions that a remote causes. Any other, such as an agent's for help, is asked as ever. */
const BY_REMOTE: readonly TriageType[] = ['dirty_polecat', 'crash_loop'];

export function awayActs({ away, rig, polecats }: WitnessSeen, { remoteAwayMs }: Policy): Acts {
  const waiting = polecats.filter(isUnpushed).length;
  if (away === undefined || away.ms < remoteAwayMs || waiting === 0) return [];
  const what = times(waiting, 'polecat has commits', 'polecats have commits');
  const text = `the remote of ${rig.name} does not answer, and ${what} that it lacks. They wait and are no failed attempts; all goes on by itself once it answers. It said: ${away.why}`;
  return [stand('high', 'remote-away', text)];
}

/** It would fail, count an attempt, or ask a person about an agent, for nothing but the remote. */
export function waitsForRemote(act: CycleAct, { away, polecats }: WitnessSeen, { remoteAwayMs }: Policy): boolean {
  if (away === undefined || away.ms < remoteAwayMs) return false;
  const lacks = (agent: string): boolean => polecats.some((one) => isUnpushed(one) && isSameAgent(one.agent, agent));
  switch (act.act) {
    case 'nuke':
      return act.push;
    case 'reopen':
    case 'fail':
      return lacks(act.from);
    case 'triage':
      return BY_REMOTE.includes(act.type) && lacks(act.agent);
    default:
      return false;
  }
}
