/** The alert about work that was sent and cannot be typed. */
import type { Level } from '../alerts/levels.ts';
import { times } from '../kernel/span.ts';
import type { SendsState } from './machine.ts';

type State = Pick<SendsState, 'sends' | 'waits'>;

function lateText({ sends }: State, session: string, why: string): string {
  const count = sends.filter((one) => one.session === session).length;
  return `${times(count, 'piece')} of work that you sent to ${session} cannot be typed: ${why}. It stays on record until it can.`;
}

export const SEND_LEVELS: readonly Level<State>[] = [
  {
    kind: 'send-waits',
    asks: ({ session }) => ['town send --list', `town session attach ${session}`],
    claim: (state) => ({
      stands: Object.entries(state.waits).flatMap(([session, { isLate, why }]) =>
        isLate ? [{ name: session, severity: 'medium' as const, session, text: lateText(state, session, why) }] : [],
      ),
      only: [],
    }),
    ended: () => 'It was typed, or taken back.',
  },
];
