/**
 * The order `nudge`: types a remark into exactly this life's pane, or says what stands in the way (law 5, law 6).
 * 1. One nudge of a life in `nudgeEveryMs`, whoever asks and whatever restarts in between: it is on record before its first key.
 * 2. Same obstacles and same queue as a question; a protected name is never typed to.
 * 3. What is typed never passes for the agent's own: its echo is kept as ours, and no nudge may read as an answer.
 */
import type { HandsPolicy } from '../../machines/policy.ts';
import type { Incarnation, Ms, NudgeObstacle, WallMs } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports.ts';
import { lookAround, obstacleOf, put, submit } from './deliver.ts';
import { readsAsAnswer } from './answer.ts';
import { findPane } from './pane.ts';
import { isOurs } from './typing.ts';
import type { HearingDeps } from './view.ts';

/** The durable memory of nudges. Both reject when the disk refuses: then nothing is typed. */
export interface NudgeBook {
  of(
    life: Incarnation,
  ): Promise<{ readonly at: WallMs; readonly from: string; readonly texts: readonly string[] } | null>;
  add(life: Incarnation, nudge: { at: WallMs; from: string; text: string }, kept: number): Promise<void>;
}

export interface NudgeDeps extends HearingDeps {
  readonly nudges: NudgeBook;
  readonly isProtected: (session: string) => boolean;
}

type Nudge = OrderOf<'nudge'>;

/** NUDGED or NOT_NUDGED; rejects only when the order's time limit is over. */
export const nudgeHand =
  (deps: NudgeDeps): Perform<Nudge> =>
  async (order, signal) => {
    const forbidden = forbiddenBy(deps, order);
    if (forbidden !== null) return { type: 'NOT_NUDGED', obstacle: forbidden };
    return deps.queue.run(order.target.paneId, async () => {
      signal.throwIfAborted();
      try {
        const obstacle = await nudge(deps, order, signal);
        return obstacle === null ? { type: 'NUDGED' } : { type: 'NOT_NUDGED', obstacle };
      } catch (error) {
        signal.throwIfAborted();
        return { type: 'NOT_NUDGED', obstacle: obstacleOf(error) };
      }
    });
  };

/** What no waiting mends. */
function forbiddenBy({ isProtected, policy }: NudgeDeps, { target, text }: Nudge): NudgeObstacle | null {
  if (isProtected(target.session)) return { kind: 'protected', what: `${target.session} is a protected name` };
  const what = mistakeIn(text, policy);
  return what === null ? null : { kind: 'unfit', what };
}

/** Why a text may not be typed as a nudge, as a sentence; null = it may. */
function mistakeIn(text: string, { mostNudgeChars }: Pick<HandsPolicy, 'mostNudgeChars'>): string | null {
  if (text.trim() === '') return 'the text is empty';
  if (text.length > mostNudgeChars)
    return `the text has ${text.length} characters, at most ${mostNudgeChars} are typed`;
  if (readsAsAnswer(text))
    return 'the text would read as the answer to a question of the town; answer with `town alive <code>`';
  return null;
}

async function nudge(deps: NudgeDeps, order: Nudge, signal: AbortSignal): Promise<NudgeObstacle | null> {
  const { target, text, from } = order;
  const { clock, memory, policy, nudges } = deps;
  const found = await findPane(deps, target);
  if (found.kind !== 'found') return found;
  const early = await tooSoon(deps, target);
  if (early !== null) return early;
  const view = await lookAround(deps, target, found);
  const lines = text.trim().split(/\r?\n/);
  const draft = view.screen.composer?.draft ?? '';
  const isThere = draft !== '' && isOurs(draft, lines);
  if (draft !== '' && !isThere) return { kind: 'busy', what: `a half-typed line: ${draft}` };
  await nudges.add(target, { at: clock.wall(), from, text: lines.join('\n') }, policy.nudgesKept);
  memory.typedInto(target, clock.now());
  const delivery = { target, found, lines };
  if (!isThere) await put(deps, delivery, view.pack, signal);
  await submit(deps, delivery, signal);
  memory.typedInto(target, clock.now());
  return null;
}

/** On the town's own clock; after a restart the wall clock tells how much of the wait is over, and never makes it longer. */
async function tooSoon({ nudges, memory, clock, policy }: NudgeDeps, life: Incarnation): Promise<NudgeObstacle | null> {
  const last = await nudges.of(life);
  if (last === null) return null;
  const now = clock.now();
  const at = memory.typedAt(life, () => now - Math.max(0, clock.wall() - last.at));
  const waitMs: Ms = at + policy.nudgeEveryMs - now;
  if (waitMs <= 0) return null;
  const seconds = (ms: Ms): number => Math.max(0, Math.ceil(ms / 1_000));
  const what = `${last.from} nudged it ${seconds(now - at)} s ago; the next may go in ${seconds(waitMs)} s`;
  return { kind: 'recent', what, waitMs };
}
