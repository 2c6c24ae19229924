/** The alert about work that was sent and cannot be typed. */
import type { Level } from '../alerts/levels.ts';
import { times } from '../kernel/span.ts';
import type { Send } from '../protocol.ts';
import type { SendsState } from './book.ts';

type State = Pick<SendsState, 'sends' | 'waits'>;

/** Those that a person sent there, and that wait. */
const waiting = ({ sends }: State, session: string): number =>
  sends.filter((one) => one.session === session && one.undone === undefined && one.life === undefined).length;

function lateText(count: number, session: string, why: string): string {
  return `${times(count, 'piece')} of work that you sent to ${session} cannot be typed: ${why}. It stays on record until it can.`;
}

const CHARS_SHOWN = 80;

/** One episode a piece: each is cancelled, or sent elsewhere, by itself. */
function undoneText({ id, session, text, undone = '' }: Send): string {
  const [row = ''] = text.split('\n');
  const begin = row.length < text.length || row.length > CHARS_SHOWN ? `${row.slice(0, CHARS_SHOWN)}…` : row;
  return `Work ${id} that you sent to ${session} is not typed: ${undone}. It reads: ${begin}`;
}

export const SEND_LEVELS: readonly Level<State>[] = [
  {
    kind: 'send-waits',
    asks: ({ session }) => ['town send --list', `town session attach ${session}`],
    claim: (state) => ({
      stands: Object.entries(state.waits).flatMap(([session, { isLate, why }]) => {
        const count = waiting(state, session);
        if (!isLate || count === 0) return [];
        return [{ name: session, severity: 'medium' as const, session, text: lateText(count, session, why) }];
      }),
      only: [],
    }),
    ended: () => 'It was typed, or cancelled.',
  },
  {
    kind: 'send-failed',
    asks: ({ of }) => ['town send --list', `town send --cancel ${of}`],
    claim: ({ sends }) => ({
      stands: sends.flatMap((one) =>
        one.undone === undefined
          ? []
          : [{ name: one.id, severity: 'medium' as const, session: one.session, text: undoneText(one) }],
      ),
      only: [],
    }),
    ended: () => 'It was cancelled.',
  },
];
