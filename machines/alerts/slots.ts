/**
 * When a person's command is started: once for each cause and window, so that a flood of one cause is one start. Pure.
 * 1. The first notice of a cause starts it at once. Those that come within the window wait, and are sent together at
 *    its end.
 * 2. A notice counts as sent after its command ended well. A process that dies before leaves it waiting, so that it is
 *    sent again.
 * 3. The same letter is sent once, though two parts of the town announce it: its second notice adds nothing.
 *    On channels the first letters that ask are causes of their own.
 * 4. A window doubles while its cause goes on, or while the command fails.
 */
import { aboutOf, type WallMs } from '../protocol.ts';
import type { Cause, NotifyPolicy } from './policy.ts';
import { SEVERITIES } from './severity.ts';
import { NEEDS_INPUT } from './things.ts';

/** The notice as the command reads it. */
export interface Told {
  readonly kind: string;
  readonly text: string;
  readonly [more: string]: unknown;
}

/** The state of one cause. */
export interface Slot {
  /** The end of its window. */
  readonly until: WallMs;
  readonly windowMs: number;
  readonly longestMs: number;
  /** How many notices came, and how many of them were sent. */
  readonly came: number;
  readonly told: number;
  /** Failed starts in a row. */
  readonly failed: number;
  /**
   * The texts of the first notices that wait; one that was graver than all before it stands first. What is over is named only where
   * nothing else waits.
   */
  readonly texts: readonly string[];
  /** The newest letters among them, by id: a letter that came does not come again. */
  readonly letters?: readonly string[];
  /** The gravest that waits, of equals the newest; null = none waits. */
  readonly gravest: Told | null;
  /** What of them came since its last start began, when `from` had come: it alone waits once that start ended. */
  readonly later?: { readonly from: number; readonly texts: readonly string[]; readonly gravest: Told | null };
}
export type Slots = Readonly<Record<string, Slot>>;

/** One start of the command. `upTo`: how many notices of its cause were sent once it ended well. */
export interface Start {
  readonly cause: string;
  readonly upTo: number;
  readonly notice: Told;
}
interface Step {
  readonly slots: Slots;
  readonly starts: readonly Start[];
}

const GRAVITY = ['recovered', 'mail', 'alert', 'guard'];
const STEPS = SEVERITIES.length;
const rank = ({ kind, question, severity }: Told): number =>
  (2 * GRAVITY.indexOf(kind) + (question === true ? 1 : 0)) * STEPS + SEVERITIES.findIndex((one) => one === severity);
const graver = (before: Told | null, next: Told): Told =>
  before === null || rank(next) >= rank(before) ? next : before;

function textsWith(
  { texts, gravest }: Pick<Slot, 'texts' | 'gravest'>,
  next: Told,
  { named, maxNamed }: NotifyPolicy,
): readonly string[] {
  const text = clipAtBlank(next.text, maxNamed);
  const isFirst = gravest === null;
  if (!isFirst && isOver(gravest) !== isOver(next)) return isOver(next) ? texts : [text];
  if (!isFirst && rank(next) > rank(gravest)) return [text, ...texts].slice(0, named);
  return texts.length < named ? [...texts, text] : texts;
}

const withNext = <T extends Pick<Slot, 'texts' | 'gravest'>>(before: T, next: Told, policy: NotifyPolicy): T => ({
  ...before,
  texts: textsWith(before, next, policy),
  gravest: graver(before.gravest, next),
});

const isOver = ({ kind }: Told): boolean => kind === 'recovered';

/** A wall clock that went back must not keep a window open for ever. */
const hasEnded = ({ until, windowMs }: Slot, now: WallMs): boolean => now >= until || until - now > windowMs;
const waits = ({ came, told }: Slot): number => came - told;

function noticeOf(slot: Slot, gravest: Told): Told {
  const many = waits(slot);
  if (many === 1) return gravest;
  const left = many - slot.texts.length;
  const words = [...slot.texts, ...(left > 0 ? [`and ${String(left)} more`] : [])].join(' · ');
  const type = Array.isArray(gravest['type']) ? (gravest['type'] as readonly string[]) : [];
  const text = `${String(many)} notices of one cause: ${words}`;
  return { ...gravest, text, together: many, type: ['town status', ...type] };
}

/** Begins the next window of a cause, and starts the command with what waits. */
function begin(slots: Slots, cause: string, slot: Slot, now: WallMs): Step {
  if (slot.gravest === null) return { slots, starts: [] };
  const next: Slot = { ...slot, until: now + slot.windowMs, later: { from: slot.came, texts: [], gravest: null } };
  const start: Start = { cause, upTo: slot.came, notice: noticeOf(slot, slot.gravest) };
  return { slots: { ...slots, [cause]: next }, starts: [start] };
}

const fresh = ({ longestMs }: Cause, policy: NotifyPolicy): Slot => {
  const windowMs = Math.min(policy.windowMs, longestMs);
  return { until: 0, windowMs, longestMs, came: 0, told: 0, failed: 0, texts: [], gravest: null };
};

interface At {
  readonly now: WallMs;
  readonly policy: NotifyPolicy;
}

/** Takes in a new notice. */
export function afterNotice(slots: Slots, cause: Cause, notice: Told, { now, policy }: At): Step {
  const before = slots[cause.name] ?? fresh(cause, policy);
  const { letters = [] } = before;
  const letter = letterIn(notice);
  if (letter !== null && letters.includes(letter)) return { slots, starts: [] };
  const next: Told = { ...notice, text: clip(notice.text, policy.maxText) };
  const slot: Slot = {
    ...withNext(before, next, policy),
    came: before.came + 1,
    ...(before.later && { later: withNext(before.later, next, policy) }),
    ...after(letters, letter, policy),
  };
  const kept = { ...slots, [cause.name]: slot };
  return hasEnded(before, now)
    ? begin(kept, cause.name, { ...slot, windowMs: windowAfter(before, cause, policy) }, now)
    : { slots: kept, starts: [] };
}

/**
 * The cause of a notice on channels. What begins or ends a dialog is one by itself, so that a channel sees at once what need not be told
 * any more; it counts what is left. A letter that asks has an answer of its own there, so the first ones of a window are told each by
 * itself; those behind them are one message with their count.
 */
export function causeApart(slots: Slots, cause: Cause, notice: Told, { apart }: NotifyPolicy): Cause {
  const { episode, kind, at } = notice;
  const isDialog = typeof episode === 'string' && aboutOf(episode).kind === NEEDS_INPUT.kind;
  if (isDialog) return { ...cause, name: [cause.name, kind, at, episode].join('/') };
  const letter = letterIn(notice);
  const isCounted = letter !== null && slots[cause.name]?.letters?.includes(letter) === true;
  if (letter === null || notice['question'] !== true || isCounted) return cause;
  const own = { ...cause, name: `${cause.name}/${letter}` };
  const before = Object.keys(slots).filter((name) => name.startsWith(`${cause.name}/`));
  return before.length < apart || before.includes(own.name) ? own : cause;
}

/** Its id; null = the notice is about no letter. */
const letterIn = ({ kind, id }: Told): string | null => (kind === 'mail' && typeof id === 'string' ? id : null);
const after = (
  letters: readonly string[],
  letter: string | null,
  { maxLetters }: NotifyPolicy,
): Pick<Slot, 'letters'> => (letter === null ? {} : { letters: [...letters, letter].slice(-maxLetters) });

const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
/** No part of a word stays: a secret that is cut has no shape by which a channel masks it. */
const clipAtBlank = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/\S+$/u, '')}…` : text;
/** One that was quiet for a window begins anew; one that goes on has twice its last. */
const windowAfter = (before: Slot, cause: Cause, policy: NotifyPolicy): number =>
  waits(before) === 0 ? fresh(cause, policy).windowMs : Math.min(2 * before.windowMs, before.longestMs);

/** Windows that are over: waiting notices are sent, and a cause that was quiet for one is forgotten. */
export function afterTime(slots: Slots, now: WallMs): Step {
  let step: Step = { slots, starts: [] };
  for (const [cause, slot] of Object.entries(slots)) {
    if (!hasEnded(slot, now)) continue;
    if (waits(slot) === 0) {
      const { [cause]: _, ...rest } = step.slots;
      step = { ...step, slots: rest };
      continue;
    }
    const longer: Slot = { ...slot, windowMs: Math.min(2 * slot.windowMs, slot.longestMs) };
    const next = begin(step.slots, cause, longer, now);
    step = { slots: next.slots, starts: [...step.starts, ...next.starts] };
  }
  return step;
}

/** The command ended: well, or not. What came meanwhile waits for the end of the window. */
export function afterStart(slots: Slots, { cause, upTo }: Start, isWell: boolean, policy: NotifyPolicy): Slots {
  const slot = slots[cause];
  if (slot === undefined || upTo <= slot.told) return slots;
  const failed = isWell ? 0 : slot.failed + 1;
  if (!isWell && failed < policy.tries) return { ...slots, [cause]: { ...slot, failed } };
  const { later, ...rest } = slot;
  // Where another start began since, that one tells the rest.
  if (later !== undefined && later.from !== upTo) return { ...slots, [cause]: { ...slot, told: upTo, failed: 0 } };
  const { texts, gravest } = later ?? { texts: [], gravest: null };
  return { ...slots, [cause]: { ...rest, told: upTo, failed: 0, texts, gravest } };
}
