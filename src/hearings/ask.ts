/**
 * The order `ask`: types a question into exactly this incarnation's pane, or says what stands in the way (D-2, D-6, D-8, D-9).
 * 1. The mark is taken before the first key; one writer per pane.
 * 2. Nothing is typed into copy mode, a shell, a dialog, a person's draft, or under a person's hands.
 * 3. A health check (C-15) is a question too, but no hearing's: protected names are spared, and it is on record before its first key.
 * 4. Typing cannot be exactly once: a pane that shows our code was asked; only what is still unsent gets its Enter. What a
 *    program does not show is not typed again: it may be stopped, and takes it all when it goes on.
 */
import { isFault } from '../tmux/errors.ts';
import { isHealthCheck } from '../../machines/watchdog/health-rules.ts';
import type { Mark } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';
import { alphanumerics, tailOf } from '../screen/text.ts';
import { viewForTyping, obstacleOf, typeLines, ObstacleError, submit, untilShown, type Delivery } from './deliver.ts';
import { SENT_KINDS, type QuestionMemory } from './memory.ts';
import { ownRows } from './echo-filter.ts';
import { tooSoon, type TypingDeps } from './pace.ts';
import { findPane } from './pane.ts';
import { markOf, anchorOf, questionEnd } from './anchor.ts';
import type { Capture } from './capture.ts';
import { draftStateOf } from './draft-state.ts';
import type { View } from './view.ts';

type Ask = OrderOf<'ask'>;

/** ASKED or NOT_ASKED; rejects only when the order's time limit is over. */
export const askHand =
  (deps: TypingDeps): Perform<Ask> =>
  async (order, signal) => {
    const { session } = order.target;
    // Only a warrant may disturb a protected name (law 6): it was checked when it was filed.
    if (isHealthCheck(order) && deps.isProtected(session))
      return { type: 'NOT_ASKED', obstacle: { kind: 'busy', what: `${session} is a protected name` } };
    return deps.queue.run(order.target.paneId, async () => {
      signal.throwIfAborted();
      try {
        return { type: 'ASKED', ...(await ask(deps, order, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        return { type: 'NOT_ASKED', obstacle: obstacleOf(error) };
      }
    });
  };

async function ask(deps: TypingDeps, order: Ask, signal: AbortSignal): Promise<{ mark: Mark; tail: string }> {
  const found = await findPane(deps, order.target);
  if (found.kind !== 'found') throw new ObstacleError(found);
  // Its code is fresh: a pane that shows all of it got our question, perhaps from an earlier life of the town.
  const before = { target: order.target, found, lines: order.lines, typed: 'maybe', isRaw: false } as const;
  const view = await viewForTyping(deps, before);
  const question = deps.memory.question(order.target, order.code);
  const isStanding = draftStateOf(view, order.lines, 'maybe') === 'whole';
  // What stands there was sent, unless this process knows that it pressed no Enter.
  const lacksEnter = question.delivery === 'typed' || question.delivery === 'back';
  const sent = lacksEnter ? null : questionEnd(view.capture.lines, printedIn(order));
  const isThere = sent !== null || isStanding;
  const isOnlyTyped = !isThere && (question.delivery === 'typed' || question.delivery === 'sent');
  const isNew = !isThere && !isOnlyTyped;
  const delivery = isNew ? await type(deps, order, { delivery: before, view, question }, signal) : before;
  if (!isNew && !isOnlyTyped) question.mark ??= markOfSent(view.capture, order, sent);
  if (sent === null || isStanding) await send(deps, delivery, question, signal);
  if (isHealthCheck(order)) deps.memory.typedInto(order.target, 'check', deps.clock.now());
  question.keyAt = deps.clock.now();
  question.mark ??= markOf(view.capture, null);
  return { mark: question.mark, tail: tailOf(view.capture.screen, deps.policy.tailLines) };
}

/** From the first look to the last key before Enter. */
async function type(
  deps: TypingDeps,
  order: Ask,
  { delivery, view, question }: { delivery: Delivery; view: View; question: QuestionMemory },
  signal: AbortSignal,
): Promise<Delivery> {
  if (isHealthCheck(order)) await remember(deps, order);
  question.mark = markOf(view.capture, deps.cpu.rate(order.target.uuid));
  question.anchor = anchorOf(view.capture);
  question.baseline = null;
  question.delivery = 'typed';
  try {
    return await typeLines(deps, delivery, view, signal);
  } catch (error) {
    // A failed call may still have typed it.
    if (error instanceof ObstacleError || isFault(error, 'refused')) question.delivery = 'back';
    throw error;
  }
}

/** Enter behind it, once it is seen. What was taken back may be typed again. */
async function send(
  deps: TypingDeps,
  delivery: Delivery,
  question: QuestionMemory,
  signal: AbortSignal,
): Promise<void> {
  try {
    const shown = await untilShown(deps, delivery, signal);
    question.delivery = 'sent';
    await submit(deps, delivery, shown, signal);
  } catch (error) {
    if (error instanceof ObstacleError && error.isTakenBack) question.delivery = 'back';
    throw error;
  }
}

/** A health check is no question of a hearing: it keeps the pace of all typing, and a hearing takes its echo for ours. */
async function remember(deps: TypingDeps, { target, lines }: Ask): Promise<void> {
  const { nudges, memory, clock, policy } = deps;
  const early = await tooSoon(deps, target, SENT_KINDS);
  if (early !== null) throw new ObstacleError({ kind: 'busy', what: early.what });
  await nudges.addCheck(target, { at: clock.wall(), text: lines.join('\n') }, policy.nudgesKept);
  memory.typedInto(target, 'check', clock.now());
}

/** The code as these lines print it. */
export function printedIn({ lines, code }: Pick<Ask, 'lines' | 'code'>): string {
  const words = lines.join(' ').match(/[0-9A-Z]+-[0-9A-Z]+/g) ?? [];
  return words.find((word) => word.replace('-', '') === code) ?? code;
}

/** The mark of a question that an earlier life of ours typed: where its text begins. */
function markOfSent(capture: Capture, { lines }: Ask, end: number | null): Mark {
  const own = ownRows(
    capture.lines.map(({ text }) => text),
    [lines],
  );
  let letters = alphanumerics(lines.join('')).length;
  let first = capture.historySize + capture.cursorRow;
  for (let index = end ?? -1; index >= 0 && letters > 0; index -= 1) {
    const line = capture.lines[index];
    if (line === undefined || !own.has(index)) continue;
    letters -= alphanumerics(line.text).length;
    first = line.row;
  }
  return { ...markOf(capture, null), line: first };
}
