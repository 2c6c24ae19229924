/**
 * What a witness does about its rig's refinery (W-3): a table over the merge requests that wait in its mailbox, and its
 * session.
 * 1. While no request waits, the witness leaves the session alone and closes an undecided case about the queue. A session that the
 *    witness cannot see is not dead.
 * 2. Requests wait and there is no session: the witness starts it, and wakes each life once. After a clean end soon after the start the
 *    witness starts it once more, and then waits (`refineryStartMs`). After a crash the sessions start it at their own pace (C-6). If
 *    town.toml names another command by now, the witness starts that at once. If there is no command, or its program is not found, the
 *    witness alerts a person.
 * 3. Requests wait and the operator stopped its session: it stays down, and a person is alerted as long as that lasts.
 * 4. Work stays with it for a day without a word: a person is alerted, as long as that lasts.
 * 5. The oldest request waits long: one nudge. Twice as long: a case, even if the nudge could not be typed.
 */
import type { RigSeen, WorkSeen } from '../patrols/observation.ts';
import { refineryAddress, sessionOfAgent } from '../rigs/names.ts';
import { stand } from '../patrols/stands.ts';
import { decide, type Acts } from './acts.ts';
import type { WitnessAct, WitnessSeen } from './observation.ts';
import type { PullRequestSeen, RefinerySeen } from './refinery-seen.ts';
import type { WitnessPolicy } from './policy.ts';
import { span, times } from '../kernel/span.ts';

export const NO_REFINERY: RefinerySeen = {
  hasCommand: false,
  missing: null,
  session: 'unknown',
  isOther: false,
  isStopped: false,
  waiting: 0,
  oldestMs: 0,
  startedMs: null,
  isRestarted: false,
  undecided: [],
  wokenMs: null,
  nudgedMs: null,
  refusedMs: null,
};

/** The first words to a started refinery, in its mailbox and in its pane. */
export const WAKE = 'PATROL: Wake up';

export const REFINERY = 'refinery';

const QUEUE_IS_EMPTY = 'no merge request waits any more';

type Policy = Pick<WitnessPolicy, 'refineryWaitMs' | 'refineryStartMs' | 'nudgeAgainMs'>;

/** Merge requests wait, but there is neither a session nor a command that would start one. */
const isMissing = (
  { hasCommand, missing, session, waiting, oldestMs }: RefinerySeen,
  { refineryWaitMs }: Policy,
): boolean => waiting > 0 && session === 'dead' && (missing !== null || (!hasCommand && oldestMs >= refineryWaitMs));

/** Whether the cause of its alert is gone. */
export const isRefineryWell = (seen: RefinerySeen, policy: Policy): boolean =>
  seen.waiting === 0 || (seen.session !== 'unknown' && !isMissing(seen, policy));

export function refineryActs(seen: RefinerySeen, rig: string, policy: Policy): Acts {
  if (seen.waiting === 0) return seen.undecided.map((bead) => ({ act: 'close', bead, reason: QUEUE_IS_EMPTY }));
  if (seen.session === 'unknown') return [];
  const agent = `${rig}/${REFINERY}`;
  if (seen.session === 'alive') return spur(seen, agent, policy);
  if (seen.isStopped) return [stand('medium', 'refinery-stopped', stoppedText(seen, rig))];
  const requests = `${waitingText(seen.waiting)} in ${rig}`;
  if (seen.missing !== null) {
    const text = `${requests}, and its refinery cannot be started: ${seen.missing}. Mend [rig.${rig}] refinery in town.toml; the next patrol takes it up`;
    return [stand('high', 'refinery-missing', text)];
  }
  if (seen.hasCommand)
    return [...startOf(seen, agent, requests, policy), ...(isHopeless(seen, policy) ? [decideQueue(seen, agent)] : [])];
  if (!isMissing(seen, policy)) return [];
  const text = `${requests}, and it has no refinery: read them (town mail inbox ${rig}/refinery), merge each branch and push main, or close its bead (town bead close <id> --reason <why>); or name a refinery in [rig.${rig}]`;
  return [stand('medium', 'refinery-missing', text)];
}

function startOf(seen: RefinerySeen, agent: string, why: string, policy: Policy): WitnessAct[] {
  const { session, isOther, startedMs, isRestarted } = seen;
  const endedSoon = !isOther && startedMs !== null && startedMs < policy.refineryStartMs;
  const isDue = isOther || (session === 'dead' && !(endedSoon && isRestarted));
  return isDue ? [{ act: 'start', agent, why, endedSoon }] : [];
}

const waitingText = (waiting: number): string =>
  `${times(waiting, 'merge request')} ${waiting === 1 ? 'waits' : 'wait'}`;

function stoppedText({ waiting }: RefinerySeen, rig: string): string {
  const address = refineryAddress(rig);
  return `${waitingText(waiting)} in ${rig}, and nothing merges: you stopped its refinery. Start it again: town session start ${sessionOfAgent(address)}; or merge each branch yourself: town mail inbox ${address}`;
}

/** What lies with it. */
export const worksOf = ({ name, work }: RigSeen): WorkSeen[] =>
  work.filter(({ assignee }) => assignee === refineryAddress(name));

export const lateMerges = (
  { rig, handed }: Pick<WitnessSeen, 'rig' | 'handed'>,
  { mergeWaitMs }: Pick<WitnessPolicy, 'mergeWaitMs'>,
): Acts =>
  worksOf(rig)
    .filter(({ restedMs }) => restedMs > mergeWaitMs)
    .flatMap(({ id }) => {
      const request = handed.find(({ bead }) => bead === id)?.pullRequest;
      // A closed one is a question of its own.
      if (request?.isBranchThere === 'no') return [];
      const since = `${id} has been with the refinery of ${rig.name} for ${span(mergeWaitMs)}, and main does not have it`;
      const next = request === undefined ? 'merge its branch and push main' : mergeText(request);
      const text = `${since}: ${next}, or close it: town bead close ${id} --reason <why>`;
      return stand('high', 'merge-late', text, id);
    });

const mergeText = ({ url }: PullRequestSeen): string =>
  `its pull request is open: merge it${url === null ? '' : ` (${url})`}`;

/** It was started since the oldest came, and both times are over. */
const isHopeless = ({ startedMs, oldestMs }: RefinerySeen, { refineryWaitMs }: Policy): boolean =>
  startedMs !== null && startedMs <= oldestMs && oldestMs >= 2 * refineryWaitMs;

/** One that lives. */
function spur(seen: RefinerySeen, agent: string, policy: Policy): WitnessAct[] {
  const { startedMs, wokenMs, nudgedMs, oldestMs, waiting } = seen;
  const { refineryWaitMs } = policy;
  if (startedMs !== null && (wokenMs === null || wokenMs > startedMs))
    return [{ act: 'nudge', kind: 'wake', agent, text: WAKE }];
  if (oldestMs < refineryWaitMs) return [];
  const text = `${waitingText(waiting)}, the oldest for ${span(oldestMs)}.`;
  const wasNudged = nudgedMs !== null && nudgedMs <= oldestMs;
  const nudge: WitnessAct[] = wasNudged ? [] : [{ act: 'nudge', kind: 'queue', agent, text }];
  const isOver = oldestMs >= 2 * refineryWaitMs && (!wasNudged || nudgedMs >= refineryWaitMs);
  return [...nudge, ...(isOver ? [decideQueue(seen, agent)] : [])];
}

function decideQueue({ waiting, oldestMs, session }: RefinerySeen, agent: string): WitnessAct {
  const since = `the oldest for ${span(oldestMs)}`;
  const state = session === 'waits' ? 'waits for its next start' : `is ${session}`;
  return decide('queue_health', agent, `${waitingText(waiting)}, ${since}; its session ${state}`);
}
