/**
 * The key that was pressed for an option of a life's dialog, on disk from before it until that dialog is seen to be gone. A program that
 * does not read its terminal reads all keys later, so a second one would answer a dialog that no person saw. The same question may come again
 * behind the first: then what ends it is that the program has read its terminal, a while ago.
 */
import { span } from '../../machines/kernel/span.ts';
import type { Incarnation } from '../../machines/protocol.ts';
import type { Nudged } from '../../state/sessions/nudges.ts';
import type { Hands } from '../ports/ports.ts';
import { topmost } from '../proc/below.ts';
import { lineModeOf } from '../proc/line-mode.ts';
import { isUnread } from '../proc/unread.ts';
import type { Capture } from './capture.ts';
import { lookAt, type AnswerDeps, type Standing } from './dialog-now.ts';
import type { TypingDeps } from './pace.ts';

type Pressed = NonNullable<Nudged['pressed']>;

const write = ({ nudges, policy }: TypingDeps, life: Incarnation, pressed: Pressed | null): Promise<void> =>
  nudges.setPressed(life, pressed, policy.nudgesKept);

const pressedOf = async ({ nudges }: TypingDeps, life: Incarnation): Promise<Pressed | null> =>
  (await nudges.of(life))?.pressed ?? null;

/** Of a pane. tmux wraps the rows of a program that draws nothing anew, so a dialog looks like another one at another size. */
export const sizeOf = ({ width, height }: Pick<Capture, 'width' | 'height'>): string => `${width}x${height}`;

/** Durable when it resolves. */
export const noteKey = (deps: TypingDeps, life: Incarnation, key: Omit<Pressed, 'at' | 'sure'>): Promise<void> =>
  write(deps, life, { ...key, at: deps.clock.wall(), sure: false });

/** tmux pressed it. Where the disk refuses, it may have. */
export async function confirmKey(deps: TypingDeps, life: Incarnation): Promise<void> {
  const pressed = await pressedOf(deps, life);
  if (pressed !== null) await write(deps, life, { ...pressed, sure: true }).catch(() => undefined);
}

/** It was surely not pressed, or its dialog is gone, or the program took it. */
export const forgetKey = (deps: TypingDeps, life: Incarnation): Promise<void> => write(deps, life, null);

/** In words, the key that is under way to this life; null = none is. `forgetOnceGone` comes first. */
export async function keyUnderWay(deps: TypingDeps, life: Incarnation): Promise<string | null> {
  const pressed = await pressedOf(deps, life);
  if (pressed === null) return null;
  const ago = Math.max(0, Math.round((deps.clock.wall() - pressed.at) / 1_000)) * 1_000;
  const what = `${JSON.stringify(pressed.option)} ${pressed.sure ? 'was' : 'may have been'} pressed ${span(ago)} ago`;
  return `${what}, and it is not known yet that its program took it; answer it in its pane, or try again in a minute`;
}

/** What a screen that is not known shows may be that dialog, half drawn. */
const isGone = ({ dialog, view: { screen, capture } }: Standing, { dialog: id, size }: Pressed): boolean =>
  (size === null || size === sizeOf(capture)) &&
  (dialog === null ? screen.state !== 'unknown' && screen.state !== 'blocked' : dialog.id !== id);

/** Whether the agent itself has read all that was typed, a while ago. */
async function isTaken(deps: TypingDeps, life: Incarnation, { at }: Pressed, tty: string | null): Promise<boolean> {
  const { processes, packs, policy, clock } = deps;
  if (tty === null || clock.wall() - at < policy.stillWorkMs) return false;
  // What a wrapper with a terminal of its own has read, the agent may not have.
  const agent = topmost(processes, await processes.children(), life.agent.pid, (one) => packs.kindOf(one) !== null);
  if (agent === null || processes.ttyOf(agent.pid) !== tty) return false;
  return (await lineModeOf(tty)) === 'raw' && (await isUnread(tty)) === false;
}

export async function forgetOnceGone(deps: TypingDeps, life: Incarnation, standing: Standing): Promise<void> {
  const pressed = await pressedOf(deps, life);
  if (pressed === null) return;
  const isOver = isGone(standing, pressed) || (await isTaken(deps, life, pressed, standing.view.capture.tty));
  if (isOver) await forgetKey(deps, life);
}

/** What a life was last seen to ask; null = nothing. */
interface Asks {
  of(uuid: string): string | null | undefined;
}

/** `scan`, which looks beside it at each life whose dialog is over after a key that showed no effect at first. */
export const withKeysForgotten =
  (deps: AnswerDeps, asking: Asks, scan: Hands['scan']): Hands['scan'] =>
  async (order, signal) => {
    const outcome = await scan(order, signal);
    for (const life of order.known) if (asking.of(life.uuid) === null) void lookAgain(deps, life);
    return outcome;
  };

async function lookAgain(deps: AnswerDeps, life: Incarnation): Promise<void> {
  try {
    if ((await pressedOf(deps, life)) === null) return;
    await deps.queue.run(life.paneId, async () => forgetOnceGone(deps, life, await lookAt(deps, life)));
  } catch {
    // The next scan looks again.
  }
}
