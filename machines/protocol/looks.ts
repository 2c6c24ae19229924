/** The words for what can be seen of an agent, and for why it could not be asked or nudged. */
import type { Ms } from './identity.ts';
import type { Exit } from './sessions.ts';

export type AnswerBy = 'town alive' | 'code' | 'bare ALIVE';

/** What keeps an agent from answering any question. */
type CannotAnswer =
  /** A question to a person is on the screen. */
  | { readonly kind: 'dialog'; readonly what: string }
  /** A person pressed a key there in the last 10 minutes. */
  | { readonly kind: 'person'; readonly what: string }
  /** A usage limit. */
  | { readonly kind: 'limited'; readonly what: string }
  /** The agent is gone; `left` = the session or pane is still there. `exit`: what the pane still tells of its end. */
  | { readonly kind: 'gone'; readonly paneStays: boolean; readonly exit?: Exit }
  | { readonly kind: 'replaced' }
  /** Its pane is proved gone, but its process lives on: it cannot be asked. */
  | { readonly kind: 'paneless'; readonly what: string };

/** What one look at a target shows (D-3, D-4, D-8, D-9). */
export type Observation =
  | { readonly kind: 'answered'; readonly by: AnswerBy; readonly quote: string }
  /** A sign of life (D-4). */
  | { readonly kind: 'evidence'; readonly what: string }
  /** It did something at the question that proves no work: a spinner, a clock, the CPU of its animation. A person decides. */
  | { readonly kind: 'inconclusive'; readonly what: string }
  /** It answered the question with an error of its own: the line to its model, not the agent, is broken. */
  | { readonly kind: 'error'; readonly what: string }
  | { readonly kind: 'silent' }
  /** It was asked whether it is at rest, and it is: nothing of an agent or a person would be lost by its end (M-9). */
  | { readonly kind: 'resting' }
  | CannotAnswer
  /**
   * `seen`: the pane was seen, only not understood; `unanswered` = no answer is on it, `lost` = one may be. `cannotRun`: a process of
   * the agent cannot run, and `why` names it: only this time counts, towards a person's decision.
   */
  | {
      readonly kind: 'unknown';
      readonly why: string;
      readonly seen?: 'unanswered' | 'lost';
      readonly cannotRun?: true;
    };

/** Why a question was not typed (D-6). */
export type Obstacle =
  | CannotAnswer
  /** Copy mode, a person's draft, no empty composer in sight. Tried again. */
  | { readonly kind: 'busy'; readonly what: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** Why a nudge was not typed. */
export type NudgeObstacle =
  | Obstacle
  /** It works, as its pack knows work, and the words were for one that rests. */
  | { readonly kind: 'working'; readonly what: string }
  /** Law 5: this life was nudged a moment ago, by anybody. `waitMs`: until the next one may be typed; `from`: its asker. */
  | { readonly kind: 'recent'; readonly what: string; readonly waitMs: Ms; readonly from?: string }
  /** Law 6: its name is protected. */
  | { readonly kind: 'protected'; readonly what: string }
  /** Its program gave the words back at each Enter, and they were taken out again. It may have no connection: they are tried much later. */
  | { readonly kind: 'refused'; readonly what: string }
  /** The text itself: empty, too long, or it would read as an answer to a question of the town. */
  | { readonly kind: 'unfit'; readonly what: string };
/** In words. */
export const nudgeObstacleText = (obstacle: NudgeObstacle): string =>
  'what' in obstacle ? obstacle.what : 'why' in obstacle ? obstacle.why : `its agent is ${obstacle.kind}`;

export type NudgeOutcome =
  /** `way`: its program took it without a key, and whether its turn began; absent = it was typed. */
  | { readonly type: 'NUDGED'; readonly way?: 'given' | 'begun' }
  | { readonly type: 'NOT_NUDGED'; readonly obstacle: NudgeObstacle };
