/** Errors at the door to tmux, sorted by consequence: only `none` proves that no server runs there (law 1). */
import type { TmuxFault } from '../ports/ports.ts';

/** A call to tmux that brought no answer, or the answer no. */
export class TmuxError extends Error {
  override readonly name = 'TmuxError';
  readonly fault: TmuxFault;

  constructor(fault: TmuxFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

export function isFault(error: unknown, fault: TmuxFault): error is TmuxError {
  return error instanceof TmuxError && error.fault === fault;
}

/** Whether the call surely reached no server. One that tmux refused may have done its work: a hook of the user's failed behind it. */
export const isUnsent = (error: unknown): boolean =>
  isFault(error, 'none') || isFault(error, 'absent') || (isFault(error, 'unknown') && error.cause !== undefined);

/** tmux works, and no server runs yet: that is no error. */
export const NO_SERVER = 'no tmux server runs yet';

const NOBODY_LISTENS = [
  /^no server running on /,
  /^error connecting to .* \((No such file or directory|Connection refused)\)$/,
];

/** tmux could not answer, or could not do it now. That says nothing about sessions. */
const NO_ANSWER = [
  /^error (connecting to|creating) /,
  /^couldn't create (socket|directory) /,
  /^(server exited|lost server|lost tty|access not allowed|protocol version mismatch|server version is too old)/,
  /(fork failed|spawn failed|Too many open files|Resource temporarily unavailable|Cannot allocate memory)/,
];

/** The fault that tmux's own words tell of. Only the first line counts: it comes before any text of others. */
export function faultOf(stderr: string): TmuxFault {
  const [first = ''] = stderr.trim().split('\n');
  if (NOBODY_LISTENS.some((pattern) => pattern.test(first))) return 'none';
  return first === '' || NO_ANSWER.some((pattern) => pattern.test(first)) ? 'unknown' : 'refused';
}
