/** The acts of a choice, and how far they are. Types only. */
import type { Ms } from '../protocol.ts';

export type TriageAct =
  /**
   * Everything in its worktree becomes a commit of its branch, which is pushed. `all`: what is refused else too. `shown`: only where it is
   * what the reasoner was shown; null = the operator chose.
   */
  | { readonly act: 'save'; readonly all: boolean; readonly shown: string | null }
  /** Keeps its worktree as it is for the next polecat at the same work. */
  | { readonly act: 'leave' }
  /** Everything in its worktree is kept under a ref, then the worktree goes. `then`: once that is so, before it is forgotten whose it was. */
  | { readonly act: 'discard'; readonly then: readonly Exclude<TriageAct, { readonly act: 'discard' }>[] }
  | { readonly act: 'nudge'; readonly text: string }
  /** It lives and goes on: what it said before of its end counts no more. */
  | { readonly act: 'goOn'; readonly text: string }
  /** A session of the rig's own, which has ended. */
  | { readonly act: 'start' }
  | { readonly act: 'warrant'; readonly reason: string }
  /** Of its session, at its own wish: its work is saved, and no hearing is needed. */
  | { readonly act: 'end'; readonly reason: string }
  /** Open again and unassigned, with one attempt more; it is not given out for `restMs`. */
  | { readonly act: 'reopen'; readonly bead: string; readonly from: string; readonly restMs: Ms }
  | { readonly act: 'rest'; readonly bead: string; readonly restMs: Ms }
  | { readonly act: 'fail'; readonly bead: string; readonly from: string; readonly why: string }
  | { readonly act: 'close'; readonly bead: string }
  | { readonly act: 'mail'; readonly to: 'agent' | 'mayor'; readonly text: string }
  /** A person is told. */
  | { readonly act: 'escalate'; readonly why: string };

/** The acts that a choice led to, and what was said of those that are done. */
export interface Plan {
  readonly acts: readonly TriageAct[];
  readonly said: readonly string[];
}
