/** What the town itself leaves in the journal: when it starts and stops, what it lost, and orders that failed when their reason changes. */
import { orderName, type Outcome, type WallMs } from '../../machines/protocol.ts';
import { thingOf, type Correlation } from './correlation.ts';
import { amount, kind, words, type Draft, type Story } from './kind.ts';
import { isOfCycle } from './patrols.ts';
import { times } from '../../machines/kernel/span.ts';

const kinds = {
  'town.started': kind(
    { pid: amount, epoch: amount },
    ({ pid, epoch }) => `the town started (pid ${pid}, epoch ${epoch})`,
  ),
  'town.stopped': kind({ pid: amount, epoch: amount }, () => 'the town stopped, as it was ordered to'),
  'connection.lost': kind({ what: words, why: words }, ({ what, why }) => `the connection to ${what} was lost: ${why}`),
  // The store writes it.
  'dances.compacted': kind(
    { dances: amount },
    ({ dances }) => `${times(dances, 'old hearing')} became this line of the journal`,
  ),
  'order.failed': kind({ order: words, why: words }, ({ why }) => `an order of the town failed: ${why}`),
};

function failed(
  { re, why }: Extract<Outcome, { readonly type: 'ORDER_FAILED' | 'NOT_SIGNALLED' }>,
  seen: Correlation,
): Draft<typeof kinds> | null {
  if (isOfCycle(re)) return null;
  const about = { ...seen.about(re), ...seen.nudged(re) };
  return seen.isNew(thingOf(re, about), why) ? { kind: 'order.failed', order: orderName(re), ...about, why } : null;
}

/** What the town writes without a step. */
export type TownLine = Draft<typeof kinds> & { readonly at: WallMs };

export const town: Story<typeof kinds> = {
  kinds,
  facts: {
    ORDER_FAILED: failed,
    NOT_SIGNALLED: failed,
    LOST: ({ what, why }) => ({ kind: 'connection.lost', what, why }),
  },
};
