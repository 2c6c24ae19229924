/** The alerts of the monitor to a person: what it tells orchestrators and none fetches, and workers that report again and again. */
import type { Level } from '../alerts/levels.ts';
import { span, times } from '../kernel/span.ts';
import type { MonitorState } from './machine.ts';
import { reportPaceMs } from './report-budget.ts';

type State = Pick<MonitorState, 'isUnread' | 'waiting' | 'orchestrators' | 'policy' | 'reported' | 'workers'>;

function unreadText({ orchestrators, policy }: State): string {
  const tag = policy.orchestratorTag;
  const how = policy.mode === 'actor' ? `town alerts poll --for ${tag}` : `town mail inbox tag/${tag}`;
  const who =
    orchestrators.length === 0
      ? `No session has the tag "${tag}".`
      : `The sessions with the tag "${tag}" do not read them.`;
  return `Alerts about workers wait unread for more than ${span(policy.unreadMs)}. ${who} Read them: ${how}`;
}

export const MONITOR_LEVELS: readonly Level<State>[] = [
  {
    kind: 'worker-alerts-unread',
    asks: () => ['town workers'],
    claim: (state) => {
      if (state.waiting === null) return null;
      const text = state.isUnread ? unreadText(state) : null;
      return {
        stands: text === null ? [] : [{ name: '', severity: 'medium', session: null, text }],
        only: [],
      };
    },
    ended: () => 'The alerts about workers were read.',
  },
  {
    kind: 'worker-reports-again',
    asks: ({ session }) => ['town workers', `town session logs ${session}`],
    claim: ({ reported, workers, policy }) => {
      const tag = policy.orchestratorTag;
      const all = Object.entries(reported).map(([uuid, { leftOut }]) => ({ leftOut, worker: workers?.[uuid] }));
      // Before its first look a town knows no life of those on record.
      if (all.some(({ worker }) => worker === undefined)) return null;
      const stands = all.flatMap(({ leftOut, worker }) => {
        if (worker === undefined || leftOut === 0) return [];
        const { session } = worker.seen.life;
        const text = `${session} changes its report again and again: ${times(leftOut, 'report')} or more were not sent to "${tag}". Of such a worker "${tag}" gets the newest report every ${span(reportPaceMs(policy))}.`;
        return [{ name: session, severity: 'medium' as const, session, text }];
      });
      return { stands, only: [] };
    },
    ended: (name) => `${name ?? 'It'} changes its report no more, or its agent ended.`,
  },
];
