/** What the end of a town process means to its guard. Pure. */

/** Exit codes of the town process that the guard understands; all others are falls. */
export const EXIT = {
  /** An orderly end. */
  done: 0,
  failed: 1,
  /** Wrong usage or configuration: no town ran, and trying again changes nothing. */
  usage: 2,
  /** The root or the tmux server belongs to another town. */
  refused: 5,
  /** A newer town has the root (EX_TEMPFAIL of sysexits): this one and its guard leave it alone. */
  superseded: 75,
} as const;

/** How a town ended. An adopted one is nobody's child: its exit code is unknown, and its traces tell. */
export type End =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'gone'; readonly cleanly: boolean; readonly superseded: boolean };

/** leave = the guard ends with this code; restart = the town is started again. */
export type Verdict =
  | { readonly kind: 'leave'; readonly exit: number; readonly why: string }
  | { readonly kind: 'restart'; readonly why: string };

/** `wasReady`: the town of this guard made steps before; until then a refusal is an answer to whoever starts it. */
export function judge(end: End, wasReady: boolean): Verdict {
  const why = inWords(end);
  if (end.kind === 'gone') {
    if (end.superseded) return { kind: 'leave', exit: EXIT.superseded, why };
    return end.cleanly ? { kind: 'leave', exit: EXIT.done, why } : { kind: 'restart', why };
  }
  if (end.kind === 'signal') return { kind: 'restart', why };
  if (end.code === EXIT.done || end.code === EXIT.superseded) return { kind: 'leave', exit: end.code, why };
  const refused = end.code === EXIT.usage || end.code === EXIT.refused;
  return refused && !wasReady ? { kind: 'leave', exit: end.code, why } : { kind: 'restart', why };
}

function inWords(end: End): string {
  switch (end.kind) {
    case 'exit':
      if (end.code === EXIT.done) return 'it ended in order';
      return end.code === EXIT.superseded ? 'a newer town has the root' : `it ended with exit code ${String(end.code)}`;
    case 'signal':
      return `it was ended by ${end.signal}`;
    case 'gone':
      if (end.superseded) return 'a newer town has the root';
      return end.cleanly ? 'it ended in order' : 'it is gone';
  }
}
