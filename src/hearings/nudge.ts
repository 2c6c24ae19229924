/**
 * The order `nudge`: types a nudge into exactly this life's pane, or says what stands in the way (law 5, law 6).
 * 1. One nudge of a life in `nudgeEveryMs`, for all askers and over restarts: it is on record before its first key. Work that
 *    an operator or an orchestrator's tag asked for (`isWork`) has a pace of its own, and is on record too.
 * 2. Same obstacles and same queue as a question; a protected name is never typed to.
 * 3. What is typed never passes for the agent's own: its echo is kept as ours, and no nudge may read as an answer.
 * 4. Every line begins with the town's own word, so that no program takes relayed text for its command (law 11): `!rm
 *    x`, `/exit` and a bare `exit` are text. Only the operator types a text as it is (`raw`). Work that an operator sends
 *    is never a command: what its program would take for one is unfit.
 * 5. In an adopted pane a shell may come to read it (D-8): there no word of it means anything to a shell, also of work.
 * 6. Work goes to the program itself where that takes it without a key; it is typed only where the program surely did not take it.
 * 7. Words for one that rests (`atRest`) are not typed while it works, as its pack knows work (W-4); what shows work
 *    and does not move is neither at work nor at rest, and takes no words.
 */
import type { Give } from '../sources/gives.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Incarnation, NudgeObstacle } from '../../machines/protocol.ts';
import { plainWords, saysNothing } from '../../machines/kernel/shell-safe-text.ts';
import { showInvisible } from '../../machines/kernel/visible-text.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';
import { lettersOf } from '../screen/text.ts';
import { stillText, workOn } from './at-work.ts';
import {
  commandSign,
  commandText,
  viewForTyping,
  obstacleOf,
  ObstacleError,
  typeLines,
  submit,
  untilShown,
} from './deliver.ts';
import { readsAsAnswer } from './answer.ts';
import { tooSoon, type TypingDeps } from './pace.ts';
import { findPane, type FoundPane } from './pane.ts';
import { draftStateOf } from './draft-state.ts';
import type { View } from './view.ts';

type Nudge = OrderOf<'nudge'>;

/** NUDGED or NOT_NUDGED; rejects only when the order's time limit is over. */
export const nudgeHand =
  (deps: TypingDeps): Perform<Nudge> =>
  async (order, signal) => {
    const forbidden = forbiddenBy(deps, order);
    if (forbidden !== null) return { type: 'NOT_NUDGED', obstacle: forbidden };
    return deps.queue.run(order.target.paneId, async () => {
      signal.throwIfAborted();
      try {
        const way = await give(deps, order);
        if (way === 'given' || way === 'begun') return { type: 'NUDGED', way };
        const obstacle = way ?? (await nudge(deps, order, signal));
        return obstacle === null ? { type: 'NUDGED' } : { type: 'NOT_NUDGED', obstacle };
      } catch (error) {
        signal.throwIfAborted();
        return { type: 'NOT_NUDGED', obstacle: await refusalOf(deps, order, error) };
      }
    });
  };

/** What no waiting mends. */
function forbiddenBy({ isProtected, policy }: TypingDeps, { target, text }: Nudge): NudgeObstacle | null {
  if (isProtected(target.session)) return { kind: 'protected', what: `${target.session} is a protected name` };
  const what = mistakeIn(text, policy);
  return what === null ? null : { kind: 'unfit', what };
}

/** Why a text may be typed to no agent, as a sentence; null = it may. */
export function mistakeIn(text: string, { maxNudgeChars }: Pick<HandsPolicy, 'maxNudgeChars'>): string | null {
  if (saysNothing(text)) return 'the text is empty';
  if (lettersOf(text) === '') return 'the text has no letter or digit, so nothing would tell it from other signs';
  if (text.length > maxNudgeChars) return `the text has ${text.length} characters, at most ${maxNudgeChars} are typed`;
  if (readsAsAnswer(text))
    return 'the text would read as the answer to a question of the town; answer with `town alive <code>`';
  return null;
}

/** How each relayed line begins. No brackets: a shell may drop those. */
const NUDGE = 'Nudge:';
/** How work begins in an adopted pane. */
const WORK = 'Work:';

/** Agents read the file that a word after this sign names, without asking: it becomes its full-width form. */
const MENTION = /(?<![\p{L}\p{N}])@(?=\S)/gu;

/**
 * A last word that begins with a command sign: programs complete it at the cursor (Qwen Code makes `/extension-creator` of `/exit`,
 * and Enter takes that). A full stop behind it ends the completion, and keeps paths and the agent's reading of it whole.
 */
const OPEN_END = /(?<!\S)[/!@#$&?:%]\S*$/u;
const closed = (line: string): string => (OPEN_END.test(line) ? `${line}.` : line);

/** What is typed of a text; `raw` as it is, and work almost. Pure. */
export function linesOf(
  { origin }: Pick<Incarnation, 'origin'>,
  { text, raw, isWork }: Pick<Nudge, 'text' | 'raw' | 'isWork'>,
): string[] {
  const lines = showInvisible(text).trim().split(/\r?\n/);
  if (raw && isWork !== true) return lines;
  const isAdopted = origin === 'adopted';
  const plain = (line: string): string => (isAdopted ? plainWords(line) : line);
  if (raw) return lines.map((line) => closed(isAdopted ? `${WORK} ${plain(line)}` : line));
  return lines.map((line) => closed(`${NUDGE} ${plain(line).replace(MENTION, '＠')}`));
}

/**
 * Work that its program takes without a key, with its own word that it has it; an obstacle where whether it has it is not known: it is
 * given no second time. null = its program takes none, and it is typed.
 */
async function give(deps: TypingDeps, order: Nudge): Promise<'given' | 'begun' | NudgeObstacle | null> {
  const { target, text, id } = order;
  const { nudges, givesOf } = deps;
  const isTask = order.raw && order.isWork === true && order.atRest === true;
  if (!isTask || id.name === undefined || givesOf === undefined) return null;
  const gives = await givesOf(target);
  const { texts = [], given = [] } = (await nudges.of(target)) ?? {};
  // A killed town may have given it.
  const isPerhapsThere = given.some((one) => one.id === id.name);
  const before = await gives?.has(id.name);
  if (before === 'given' || before === 'begun') return before;
  if (isPerhapsThere)
    return before === null
      ? { kind: 'unfit', what: UNSURE }
      : { kind: 'unknown', why: 'its program does not say whether it has it' };
  // What a killed town may have typed stands where it was typed.
  const words = linesOf(target, order).join('\n');
  const isSame = (one: string): boolean => one === words;
  const isPerhapsTyped = texts.filter(isSame).length > given.map((one) => one.text).filter(isSame).length;
  if (gives === null || before === undefined || isPerhapsTyped) return null;
  return handOver(deps, target, gives, { id: id.name, text: showInvisible(text).trim() });
}

/** null = its program surely did not take it. */
async function handOver(
  deps: TypingDeps,
  target: Incarnation,
  gives: Give,
  work: Parameters<Give['give']>[0],
): Promise<'given' | 'begun' | NudgeObstacle | null> {
  const { clock, memory, policy, nudges } = deps;
  const found = await findPane(deps, target);
  if (found.kind !== 'found') return found;
  await nudges.addGiven(target, work, policy.nudgesKept);
  memory.typedInto(target, 'work', clock.now());
  const outcome = await gives.give(work);
  memory.typedInto(target, 'work', clock.now());
  if (outcome === 'unknown') return { kind: 'unfit', what: UNSURE };
  if (outcome !== 'not') return outcome;
  await nudges.takeGivenBack(target, work.id, policy.nudgesKept);
  return null;
}

/** As the end of `… is not typed: `. */
const UNSURE = 'its program was given it, and did not say whether it has it; look there before you send it again';

async function nudge(deps: TypingDeps, order: Nudge, signal: AbortSignal): Promise<NudgeObstacle | null> {
  const { target, from, atLimit } = order;
  const { clock, memory, policy, nudges } = deps;
  const found = await findPane(deps, target);
  if (found.kind !== 'found') return found;
  const early = order.isWork === true ? null : await tooSoon(deps, target, ['nudge']);
  if (early !== null) return early;
  const lines = linesOf(target, order);
  const words = lines.join('\n');
  const isOnRecord = (await nudges.of(target))?.texts.includes(words) ?? false;
  // Work is typed as it is, and is never a command.
  const isRaw = order.raw && order.isWork !== true;
  const before = { target, found, lines, typed: isOnRecord ? 'maybe' : 'no', isRaw, atLimit } as const;
  const view = await viewForTyping(deps, before);
  const sign = order.isWork === true ? commandSign(view.pack, lines) : undefined;
  if (sign !== undefined) return { kind: 'unfit', what: commandText(view.pack, sign) };
  const work = order.atRest === true ? await workOf(deps, target, found, view) : null;
  if (work !== null) return work;
  const isThere = draftStateOf(view, lines, before.typed) === 'whole';
  if (order.isWork === true) await nudges.addWork(target, { text: words, isTyped: isThere }, policy.nudgesKept);
  else await nudges.add(target, { at: clock.wall(), from, text: words, isTyped: isThere }, policy.nudgesKept);
  const kind = order.isWork === true ? 'work' : 'nudge';
  memory.typedInto(target, kind, clock.now());
  const delivery = isThere ? before : await typeLines(deps, before, view, signal);
  await submit(deps, delivery, await untilShown(deps, delivery, signal), signal);
  memory.typedInto(target, kind, clock.now());
  // It is typed, even if the disk refuses now: that it is on record as sure is missing then.
  if (kind === 'nudge') await nudges.confirm(target, policy.nudgesKept).catch(() => undefined);
  return null;
}

/** Why words for one that rests wait; null = it shows no work. */
async function workOf(
  deps: TypingDeps,
  target: Incarnation,
  found: FoundPane,
  view: View,
): Promise<NudgeObstacle | null> {
  const work = await workOn(deps, target, found, view);
  const { what } = view.screen;
  if (work === 'none') return null;
  return work === 'working' ? { kind: 'working', what } : { kind: 'busy', what: stillText(what) };
}

/** What stands in the way; of one that shows work, and takes no words for that, whether it works. */
async function refusalOf(deps: TypingDeps, { target }: Nudge, error: unknown): Promise<NudgeObstacle> {
  const obstacle = obstacleOf(error);
  if (!(error instanceof ObstacleError)) return obstacle;
  if (error.isRefused && obstacle.kind === 'busy') return { kind: 'refused', what: obstacle.what };
  if (error.view === null) return obstacle;
  try {
    const found = await findPane(deps, target);
    return found.kind === 'found' && (await workOn(deps, target, found, error.view)) === 'working'
      ? { kind: 'working', what: error.view.screen.what }
      : obstacle;
  } catch {
    return obstacle;
  }
}
