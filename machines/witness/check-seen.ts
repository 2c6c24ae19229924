/** What is seen of a rig's `done_check`: how the check of one commit in a polecat's worktree stands. */
import type { LeftSeen, WorkLeft } from '../patrols/observation.ts';
import type { Ms } from '../protocol.ts';

/**
 * How the check of one commit stands. `failed`: the command itself says so; `toldMs`: since its polecat got the output, null = it did not.
 * `unknown`: it was not started, was ended by its limit, or was killed.
 */
export type CheckSeen =
  | { readonly is: 'due' }
  | { readonly is: 'running' }
  | { readonly is: 'passed' }
  | { readonly is: 'failed'; readonly commit: string; readonly text: string; readonly toldMs: Ms | null }
  | { readonly is: 'unknown'; readonly text: string; readonly agoMs: Ms };

/** What `done_check` is asked of: commits that are to be handed over, and those that a polecat pushed to main by itself. */
export const isChecked = (left: LeftSeen): left is Extract<LeftSeen, WorkLeft> =>
  left.is === 'work' || (left.is === 'merged' && left.isOwnPush);
