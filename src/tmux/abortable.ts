/**
 * The door to tmux for one order: it closes once the order is given up. The issuer then has a failure as outcome, and
 * may have given the order again.
 */
import type { TmuxClient } from './client.ts';

/** Every call rejects with the signal's reason from its abort on; one that is under way comes to its end. */
export function heeding(tmux: TmuxClient, signal: AbortSignal): TmuxClient {
  const open = async <T>(call: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    return call();
  };
  return {
    query: (command) => open(() => tmux.query(command)),
    call: (args, input) => open(() => tmux.call(args, input)),
    sequence: (commands) => open(() => tmux.sequence(commands)),
    server: () => open(() => tmux.server()),
    connect: (how) => open(() => tmux.connect(how)),
    expect: (server) => tmux.expect(server),
  };
}
