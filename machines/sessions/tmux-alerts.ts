/** Alerts of the tmux server itself, which no record holds: each process of the town sees it anew. */
import { doctor } from '../alerts/asks.ts';
import type { Level } from '../alerts/levels.ts';
import { span } from '../kernel/span.ts';
import type { Alert, Declared } from '../protocol.ts';
import type { SessionsState } from './state.ts';

/** Known only once it answered, or once no session needs it. */
const tmux = (
  kind: string,
  asks: Declared['asks'],
  severity: Alert['severity'],
  text: (book: SessionsState) => string | null,
  ended: (book: SessionsState) => string,
): Level<SessionsState> => ({
  kind,
  asks,
  claim: (book) => {
    const what = text(book);
    if (what === null) return book.settled ? { stands: [], only: [] } : null;
    return { stands: [{ name: '', severity, session: null, text: what }], only: [] };
  },
  ended: (_, book) => ended(book),
});

export const TMUX_LEVELS: readonly Level<SessionsState>[] = [
  tmux(
    'tmux-unknown',
    doctor,
    'high',
    ({ unknownTold }) =>
      unknownTold ? 'tmux does not answer. Nothing is judged, killed or restarted meanwhile. Try: town doctor' : null,
    () => 'tmux answers again.',
  ),
  tmux(
    'tmux-server-died',
    null,
    'high',
    // In a row of deaths only the row is alerted.
    ({ serverGone, serverDeaths }) =>
      serverGone && serverDeaths?.looping !== true
        ? 'The tmux server died with every agent in it. They are started again one after the other.'
        : null,
    ({ serverDeaths }) =>
      serverDeaths?.looping === true ? 'It keeps dying, which has an alert of its own.' : 'The tmux server is back.',
  ),
  tmux(
    'tmux-server-keeps-dying',
    doctor,
    'critical',
    ({ serverDeaths: deaths, policy }) =>
      deaths?.looping === true
        ? `The tmux server keeps dying (${deaths.streak} times in a row, ${policy.serverDeaths} of them within ${span(policy.serverDeathsWithinMs)}). Its agents are tried on at a slower pace. Look for what ends it: town doctor`
        : null,
    () => 'The tmux server stays up again.',
  ),
];
