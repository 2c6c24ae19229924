/** What Tickle tells a person for as long as it is so: agents that answer no page, and scans that fail. */
import { untriedWhy } from './entries.ts';
import type { Level, Standing } from '../alerts/levels.ts';
import { attach } from '../alerts/asks.ts';
import { span } from '../kernel/span.ts';
import type { Page } from '../protocol/tickle.ts';
import type { TickleState } from './state.ts';

const TRIED = { bell: 'its bell', irc: 'IRC', pane: 'its pane' } as const;

function standing(name: string, { silentMs, uuid, tried }: Page): Standing {
  const silence =
    silentMs === null ? 'has shown no sign of work' : `was silent for ${span(silentMs)} when it was paged`;
  const tries = tried.map((one) => {
    const why = untriedWhy(one);
    return `${TRIED[one.method]}${why === null ? '' : ` (${why})`}`;
  });
  const text = `${name} ${silence}, and answers no page: ${tries.join(', ')}. Nothing was done to it.`;
  return { name, severity: 'high', session: uuid === null ? null : name, text };
}

export const TICKLE_LEVELS: readonly Level<TickleState>[] = [
  {
    kind: 'silent-agent',
    asks: (about) => [...(about.hasSession ? attach(about) : []), `town evidence list --author ${about.session}`],
    claim: ({ record }) =>
      record === null
        ? null
        : {
            stands: Object.entries(record.pages).flatMap(([name, page]) =>
              page.step === 'told' ? [standing(name, page)] : [],
            ),
            only: [],
          },
    ended: (name, { record }) =>
      name !== null && record?.pages[name]?.step === 'over'
        ? `${name} shows signs of work again.`
        : 'It is paged no more: that life is over, or Tickle was stopped.',
  },
  {
    kind: 'tickle-fails',
    asks: () => ['town doctor', 'town daemon logs'],
    claim: ({ record, policy }) => {
      if (record === null) return null;
      const { failures, why } = record;
      const text = `Tickle cannot read the evidence: ${why ?? ''}. No agent is paged until it can.`;
      const stands =
        failures >= policy.maxFailures ? [{ name: '', severity: 'high', session: null, text } as const] : [];
      return { stands, only: [] };
    },
    ended: () => 'The evidence is read again.',
  },
];
