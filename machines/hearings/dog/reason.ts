/** Why a dance ended with an execution, in words. */
import { isOwnWish, isRenewal, isStop } from '../dance.ts';
import type { Dance } from '../../protocol.ts';

/** The note about a question that the agent answered while it was being signalled. */
export const LATE = 'answered after signals were sent';

/** With this reason no process of the accused is left, but programs that it began may go on. */
const elsewhereText = ({ elsewhere = [] }: Dance): readonly string[] =>
  elsewhere.length === 0
    ? []
    : [`work may go on elsewhere: ${elsewhere.map(({ pid, program }) => `pid ${pid} ${program}`).join(', ')}`];

function why(dance: Dance): string {
  const { warrants, attempts, attempt } = dance;
  const force = warrants.find(isStop) ?? warrants.find((w) => w.force);
  const isLate = attempts[attempt - 1]?.seen.startsWith(LATE) === true;
  if (force === undefined)
    return isLate ? `${LATE}; none of its processes was left` : `silent through ${attempts.length} questions`;
  if (isStop(force) || isRenewal(dance)) return force.reason;
  return isOwnWish(dance) ? 'ended without a hearing, as it asked itself' : 'killed by an operator without a hearing';
}

export const executedReason = (dance: Dance): string => [why(dance), ...elsewhereText(dance)].join('; ');
