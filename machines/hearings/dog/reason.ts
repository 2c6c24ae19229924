/** Why a dance ended with an execution, in words. */
import { isSelfStop, isLoginRestart, isStop } from '../dance.ts';
import { describe } from './findings.ts';
import type { Dance, Observation } from '../../protocol.ts';

const LATE = 'after signals were sent';
/** The note about a question whose agent answered or showed life while it was being signalled, or had to rest and was not seen to. */
export function lateLife(observation: Observation | null, mustRest: boolean): string {
  if (observation === null) return `answered ${LATE}: town alive`;
  const what = mustRest ? 'was not seen at rest' : observation.kind === 'answered' ? observation.kind : 'showed life';
  return `${what} ${LATE}${describe(observation)}`;
}
/** That note; null = it did nothing of the kind. */
export const lateLifeOf = ({ attempts, attempt }: Dance): string | null => {
  const { seen = '' } = attempts[attempt - 1] ?? {};
  return seen.includes(LATE) ? seen : null;
};

/** With this reason no process of the target is left, but programs that it began may go on. */
const excludedText = ({ excluded = [] }: Dance): readonly string[] =>
  excluded.length === 0
    ? []
    : [`work may go on elsewhere: ${excluded.map(({ pid, program }) => `pid ${pid} ${program}`).join(', ')}`];

function why(dance: Dance): string {
  const { warrants, attempts } = dance;
  const late = lateLifeOf(dance);
  const force = warrants.find(isStop) ?? warrants.find((w) => w.force);
  if (force === undefined)
    return late !== null ? `${late}; none of its processes was left` : `silent through ${attempts.length} questions`;
  if (isStop(force) || isLoginRestart(dance)) return force.reason;
  return isSelfStop(dance) ? 'ended without a hearing, as it asked itself' : 'killed by an operator without a hearing';
}

export const executedReason = (dance: Dance): string => [why(dance), ...excludedText(dance)].join('; ');
