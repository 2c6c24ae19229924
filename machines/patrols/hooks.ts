/**
 * Work on the hook of an absent agent (P-9): a table, without a machine. A polecat's death has another owner, which
 * counts attempts. Here the work was not tried, so none is counted. A holder that cannot be seen counts as present.
 */
import type { Ms } from '../protocol.ts';
import type { PatrolPolicy } from './policy.ts';

export interface HookSeen {
  readonly bead: string;
  readonly assignee: string;
  readonly hookedMs: Ms;
  /** Of the assignee's session; `none` = the town knows no session of the name. */
  readonly session: 'lives' | 'ended' | 'none' | 'unknown';
}

/** Only of these the session has to be known. */
export const isOld = ({ hookedMs }: Pick<HookSeen, 'hookedMs'>, { staleHookMs }: PatrolPolicy): boolean =>
  hookedMs > staleHookMs;

export const staleHooks = (hooks: readonly HookSeen[], policy: PatrolPolicy): HookSeen[] =>
  hooks.filter((hook) => isOld(hook, policy) && (hook.session === 'ended' || hook.session === 'none'));
