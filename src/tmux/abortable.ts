/**
 * The door to tmux for one order: nothing goes through it once the order was given up. Its giver was told that it failed, and may
 * have given it again by then.
 */
import type { TmuxDoor } from './client.ts';

/** Every call rejects with the signal's reason from its abort on; one that is under way comes to its end. */
export function heeding(tmux: TmuxDoor, signal: AbortSignal): TmuxDoor {
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
