/**
 * The order `ask`: types a question into exactly this incarnation's pane, or says what stands in the way (D-2, D-6, D-8, D-9).
 * 1. The mark is taken before the first key; one writer per pane.
 * 2. Nothing is typed into copy mode, a shell, a dialog, a person's draft, or under a person's hands.
 * 3. Typing cannot be exactly once: a pane that shows our code was asked; only what is still unsent gets its Enter.
 */
import type { Mark } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports.ts';
import { ink, tailOf } from '../screen/text.ts';
import { lookAround, obstacleOf, put, Stopped, submit } from './deliver.ts';
import type { Hearing } from './memory.ts';
import { ownRows } from './own.ts';
import { findPane } from './pane.ts';
import type { Found } from './pane.ts';
import { markOf, placeOf, questionEnd } from './place.ts';
import type { Shot } from './shot.ts';
import { isOurs } from './typing.ts';
import type { HearingDeps, View } from './view.ts';

type Ask = OrderOf<'ask'>;

/** ASKED or NOT_ASKED; rejects only when the order's time limit is over. */
export const askHand =
  (deps: HearingDeps): Perform<Ask> =>
  (order, signal) =>
    deps.queue.run(order.target.paneId, async () => {
      signal.throwIfAborted();
      try {
        return { type: 'ASKED', ...(await ask(deps, order, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        return { type: 'NOT_ASKED', obstacle: obstacleOf(error) };
      }
    });

async function ask(deps: HearingDeps, order: Ask, signal: AbortSignal): Promise<{ mark: Mark; tail: string }> {
  const found = await findPane(deps, order.target);
  if (found.kind !== 'found') throw new Stopped(found);
  const view = await lookAround(deps, order.target, found);
  const hearing = deps.memory.hearing(order.target, order.code);
  const draft = view.screen.composer?.draft ?? '';
  const sent = questionEnd(view.shot.lines, printedIn(order));
  if (sent === null && !isOurs(draft, order.lines)) await type(deps, order, { found, view, hearing }, signal);
  else hearing.mark ??= markOfSent(view.shot, order, sent);
  if (sent === null || isOurs(draft, order.lines) || isUnsent(view.shot, order))
    await submit(deps, { target: order.target, found, lines: order.lines }, signal);
  hearing.keyAt = deps.clock.now();
  hearing.mark ??= markOf(view.shot, null);
  return { mark: hearing.mark, tail: tailOf(view.shot.screen, deps.policy.tailLines) };
}

/** From the first look to the last key before Enter. */
async function type(
  deps: HearingDeps,
  order: Ask,
  { found, view, hearing }: { found: Found; view: View; hearing: Hearing },
  signal: AbortSignal,
): Promise<void> {
  const draft = view.screen.composer?.draft ?? '';
  if (draft !== '') throw new Stopped({ kind: 'busy', what: `a half-typed line: ${draft}` });
  hearing.mark = markOf(view.shot, deps.cpu.rate(order.target.uuid));
  hearing.place = placeOf(view.shot);
  hearing.baseline = null;
  await put(deps, { target: order.target, found, lines: order.lines }, view.pack, signal);
}

/** The code as these lines print it. */
export function printedIn({ lines, code }: Pick<Ask, 'lines' | 'code'>): string {
  const words = lines.join(' ').match(/[0-9A-Z]+-[0-9A-Z]+/g) ?? [];
  return words.find((word) => word.replace('-', '') === code) ?? code;
}

/** Fewer letters before the cursor prove nothing. */
const LEAST_LETTERS = 8;

/** The cursor still stands behind our text: a program without a composer has not got its Enter. */
function isUnsent({ lines, historySize, cursorRow }: Shot, order: Ask): boolean {
  const letters = ink(lines.findLast(({ row }) => row <= historySize + cursorRow)?.text ?? '');
  const end = letters.slice(-ink(order.lines.at(-1) ?? '').length);
  return end.length >= LEAST_LETTERS && ink(order.lines.join('')).endsWith(end);
}

/** The mark of a question that an earlier life of ours typed: where its text begins. */
function markOfSent(shot: Shot, { lines }: Ask, end: number | null): Mark {
  const own = ownRows(
    shot.lines.map(({ text }) => text),
    [lines],
  );
  let letters = ink(lines.join('')).length;
  let first = shot.historySize + shot.cursorRow;
  for (let index = end ?? -1; index >= 0 && letters > 0; index -= 1) {
    const line = shot.lines[index];
    if (line === undefined || !own.has(index)) continue;
    letters -= ink(line.text).length;
    first = line.row;
  }
  return { ...markOf(shot, null), line: first };
}
