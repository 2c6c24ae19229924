/** The one alert of the monitor to a person: what it tells orchestrators, and none fetches. */
import type { Level } from '../alerts/levels.ts';
import { span } from '../kernel/span.ts';
import type { MonitorState } from './machine.ts';

type State = Pick<MonitorState, 'isUnread' | 'waiting' | 'orchestrators' | 'policy'>;

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
    ended: () => 'They were read.',
  },
];
