/**
 * The key that was pressed for an option of a life's dialog, on disk from before it until that dialog is seen to be gone. A program that
 * does not read its terminal reads all keys later, so a second one would answer a dialog that no person saw.
 */
import { span } from '../../machines/kernel/span.ts';
import type { Incarnation } from '../../machines/protocol.ts';
import type { Nudged } from '../../state/sessions/nudges.ts';
import type { Hands } from '../ports/ports.ts';
import { lookAt, type AnswerDeps, type Standing } from './dialog-now.ts';
import type { TypingDeps } from './pace.ts';

type Pressed = NonNullable<Nudged['pressed']>;

const write = ({ nudges, policy }: TypingDeps, life: Incarnation, pressed: Pressed | null): Promise<void> =>
  nudges.setPressed(life, pressed, policy.nudgesKept);

/** Durable when it resolves. */
export const noteKey = (deps: TypingDeps, life: Incarnation, dialog: string, option: string): Promise<void> =>
  write(deps, life, { dialog, option, at: deps.clock.wall() });

/** It was surely not pressed, or its dialog is gone. */
export const forgetKey = (deps: TypingDeps, life: Incarnation): Promise<void> => write(deps, life, null);

/** In words, the key that is under way to this dialog; null = none is. */
export async function keyUnderWay(
  { nudges, clock }: TypingDeps,
  life: Incarnation,
  dialog: string,
): Promise<string | null> {
  const pressed = (await nudges.of(life))?.pressed;
  if (pressed?.dialog !== dialog) return null;
  const ago = Math.max(0, Math.round((clock.wall() - pressed.at) / 1_000)) * 1_000;
  return `${JSON.stringify(pressed.option)} was pressed ${span(ago)} ago and shows no effect; answer it in its pane`;
}

/** What a screen that is not known shows may be that dialog, half drawn. */
const isGone = ({ dialog, view: { screen } }: Standing, id: string): boolean =>
  dialog === null ? screen.state !== 'unknown' && screen.state !== 'blocked' : dialog.id !== id;

export async function forgetOnceGone(deps: TypingDeps, life: Incarnation, standing: Standing): Promise<void> {
  const pressed = (await deps.nudges.of(life))?.pressed ?? null;
  if (pressed !== null && isGone(standing, pressed.dialog)) await forgetKey(deps, life);
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
    if (((await deps.nudges.of(life))?.pressed ?? null) === null) return;
    await deps.queue.run(life.paneId, async () => forgetOnceGone(deps, life, await lookAt(deps, life)));
  } catch {
    // The next scan looks again.
  }
}
