/**
 * Which rule of `[[asks.rule]]` answers a question. Pure. A rule answers only what an agent's program says itself and shows whole,
 * where its pattern fits all of it, and only with an option that is offered: none of these gives more than this one answer.
 */
import type { WallMs } from '../protocol.ts';
import type { Answer, Ask, AskOption } from './answers.ts';
import { ANSWERS } from './policy.ts';

/** One `[[asks.rule]]`. */
export interface AskRule {
  /** The session that asks, or a glob of names; null = a mistake of the file, which is refused. */
  readonly agent: string | null;
  /** A regular expression for all rows of what is asked, joined by line breaks. */
  readonly pattern: string | null;
  /** The word of the option. */
  readonly option: string | null;
  /** How many it answers in 24 hours. */
  readonly per_day: number;
}

/** What stands before a person now. */
export interface StandingAsk {
  readonly session: string;
  readonly way: 'request' | 'keys';
  /** All rows of it; null = not all of it is known. */
  readonly whole: readonly string[] | null;
  readonly options: readonly AskOption[];
}

export interface Ruled {
  /** From 1, in the order of the file. */
  readonly rule: number;
  readonly option: StandingAsk['options'][number];
}

export interface Fits {
  readonly name: (name: string, glob: string) => boolean;
  /** Whether the pattern fits the whole text; null = that could not be found out soon. */
  readonly text: (pattern: string, text: string) => boolean | null;
}

/** The first rule that fits decides; null = none does, or it is not known whether one before it does, which may say no. */
export function ruleFor(rules: readonly AskRule[], asking: StandingAsk, fits: Fits): Ruled | null {
  const { session, way, whole, options } = asking;
  if (way !== 'request' || whole === null) return null;
  const text = whole.join('\n');
  for (const [at, { agent, pattern, option: word }] of rules.entries()) {
    if (agent === null || pattern === null || !fits.name(session, agent)) continue;
    const isFit = fits.text(pattern, text);
    if (isFit === null) return null;
    if (!isFit) continue;
    // One that needs words of a person is no rule's to choose.
    const option = options.find((one) => one.word === word && one.text === undefined);
    return option === undefined ? null : { rule: at + 1, option };
  }
  return null;
}

/** How its answers are signed. */
export const signatureOf = (rule: number): string => `rule ${String(rule)} of town.toml`;
export const isByRule = (by: string): boolean => by.endsWith(' of town.toml');

/** What a rule says. Its budget belongs to that: its number changes with the file, and `per_day` is the budget itself. */
export const keyOf = ({ agent, pattern, option }: AskRule): string => JSON.stringify([agent, pattern, option]);

/** What decides beside the rules whether one answers. */
export interface Surroundings {
  /** What was offered and answered so far. */
  readonly asks: readonly Ask[];
  readonly now: WallMs;
  /** A person is in its pane, or that is not known. */
  readonly isUsed: boolean;
  /** The root came back from a copy: what its budgets had since is not known. */
  readonly isCopy: boolean;
}

/** Of the rule that fits. `why`: what keeps it from answering; null = it answers. */
export type Ruling = Ruled & { readonly why: string | null };

/** null = no rule fits. `life`, `dialog`: as an `Ask` has them. */
export function rulingFor(
  rules: readonly AskRule[],
  asking: StandingAsk & Pick<Ask, 'life' | 'dialog'>,
  fits: Fits,
  { asks, now, isUsed, isCopy }: Surroundings,
): Ruling | null {
  const ruled = ruleFor(rules, asking, fits);
  const rule = ruled && rules[ruled.rule - 1];
  if (!rule) return null;
  const isThis = ({ life, dialog }: Ask): boolean => life === asking.life && dialog === asking.dialog;
  const [why = null] = [
    isCopy && 'this root came back from a copy',
    // One that a person answered, or whose answer was not proved, is theirs.
    asks.some((one) => isThis(one) && one.answer !== null) && 'it was answered before',
    !hasRoom(asks, rule, now) && `its answers of 24 hours are given (${String(rule.per_day)})`,
    isUsed && 'a person may be in its pane',
  ].filter((one) => typeof one === 'string');
  return { ...ruled, why };
}

/** Whether a rule may answer once more today. A book that is full of one day does not know what was before. */
function hasRoom(asks: readonly Ask[], rule: AskRule, now: WallMs): boolean {
  const isToday = ({ at }: { readonly at: WallMs }): boolean => Math.abs(now - at) < ANSWERS.ruleMs;
  if (asks.length >= ANSWERS.kept && asks.every(isToday)) return false;
  // An older record does not say which rule it was: it counts for each.
  const key = keyOf(rule);
  const isOurs = ({ by, rule: of = key }: Answer): boolean => isByRule(by) && of === key;
  return asks.filter(({ answer }) => answer !== null && isOurs(answer) && isToday(answer)).length < rule.per_day;
}
