/** What the end of a town process means to its guard. Pure. */

import type { TownEnd } from '../../state/process/pid-files.ts';

/** Exit codes of the town process that the guard understands; all others are falls. */
export const EXIT = {
  /** An orderly end. */
  done: 0,
  failed: 1,
  /** Wrong usage or configuration: no town ran, and trying again changes nothing. */
  usage: 2,
  /** The root or the tmux server belongs to another town. */
  refused: 5,
  /** Its programs were replaced, or its configuration is read anew: it wants to begin anew, at once. */
  renewed: 76,
  /** A newer town has the root (EX_TEMPFAIL of sysexits): this one and its guard leave it alone. */
  superseded: 75,
} as const;

/** How a town ended. An adopted one is not our child: its exit code is unknown, and its traces say how it ended. */
export type End =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'gone'; readonly inOrder: TownEnd | null; readonly superseded: boolean };

/** leave = the guard ends with this code; restart = the town is started again; renew = at once, and the guard makes way for a new one. */
export type Verdict =
  | { readonly kind: 'leave'; readonly exit: number; readonly why: string }
  | { readonly kind: 'restart' | 'renew'; readonly why: string };

/** `wasReady`: the town of this guard made steps before; until then a refusal is an answer to the starting command. */
export function judge(end: End, wasReady: boolean): Verdict {
  if (end.kind === 'signal') return { kind: 'restart', why: `it was ended by ${end.signal}` };
  const code = end.kind === 'exit' ? end.code : codeBy(end);
  if (code === EXIT.done) return { kind: 'leave', exit: code, why: 'it ended in order' };
  if (code === EXIT.superseded) return { kind: 'leave', exit: code, why: 'a newer town has the root' };
  if (code === EXIT.renewed) return { kind: 'renew', why: 'it begins anew' };
  if (code === null) return { kind: 'restart', why: 'it is gone' };
  const why = `it ended with exit code ${String(code)}`;
  const isRefused = code === EXIT.usage || code === EXIT.refused;
  return isRefused && !wasReady ? { kind: 'leave', exit: code, why } : { kind: 'restart', why };
}

/** What the traces of an adopted one stand for; null = it fell. */
function codeBy({ superseded, inOrder }: Extract<End, { kind: 'gone' }>): number | null {
  if (superseded) return EXIT.superseded;
  return inOrder && EXIT[inOrder];
}
