/**
 * What a witness does about hooked work that does not move (P-4): a table over the time without any sign that only work
 * produces: commits, evidence, changes of its bead. A living or talking agent moves nothing.
 * 1. Half an hour: a nudge. An hour: another, and a case. Two hours: the same again, and it counts as stalled. This
 *    repeats every two hours, since the decision came to nothing (law 9). Each happens once in its window.
 * 2. An agent that asks a person is left alone. The sessions' own look alerts the person, within a minute and once (law
 *    5).
 * 3. A case opens only after a typed nudge, which shows that the agent neither works nor asks a person. It also opens
 *    if the screen does not show where to type: an unreadable screen exempts from nothing (law 1), and the case quotes
 *    its end.
 * 4. A nudge refused for an unknown reason is tried once in a window. If the agent works, asks or waits, it is tried
 *    again after a while.
 */
import type { Ms } from '../protocol.ts';
import { decide } from './acts.ts';
import type { PolecatSeen, WitnessAct } from './observation.ts';
import type { WitnessPolicy } from './policy.ts';
import { span } from '../kernel/span.ts';

interface Window {
  readonly fromMs: Ms;
  readonly text: string;
  /** The question of the case; null = no case. */
  readonly asks: string | null;
}

const windowsOf = ({ hookNudgeMs, hookCaseMs, hookStalledMs }: WitnessPolicy): Window[] => [
  { fromMs: hookNudgeMs, text: 'There is work on your hook: go on with it, or say what blocks you.', asks: null },
  {
    fromMs: hookCaseMs,
    text: 'The work on your hook does not move: go on with it now, or say what blocks you.',
    asks: 'does not move',
  },
  {
    fromMs: hookStalledMs,
    text: 'The work on your hook is stalled, and the witness opened a case about it: say what blocks you.',
    asks: 'is stalled',
  },
];

const within = (agoMs: Ms | null, ms: Ms): boolean => agoMs !== null && agoMs <= ms;

/** How long nothing was seen of it: neither a word of its own nor, where it has work, anything of that. */
export const quietMs = ({ idleMs, hook, stillMs }: Pick<PolecatSeen, 'idleMs' | 'hook' | 'stillMs'>): Ms =>
  Math.min(idleMs ?? 0, hook === null ? Infinity : stillMs);

/** A tool that runs, or a question to a person: a nudge was refused for it a moment ago. */
export const isExempt = ({ hookMemory: { exemptMs } }: PolecatSeen, { deadlineMs }: WitnessPolicy): boolean =>
  within(exemptMs, deadlineMs);

/** The part of a case that says which words could not be typed. */
export const unspokenText = ({ hookMemory: { unspoken } }: PolecatSeen): string =>
  unspoken === null ? '' : `; it could not be told so: ${unspoken}`;

export function hookActs(polecat: PolecatSeen, policy: WitnessPolicy): WitnessAct[] {
  const { agent, hook, stillMs, hookMemory } = polecat;
  if (hook === null) return [];
  const window = windowsOf(policy).findLast(({ fromMs }) => stillMs >= fromMs);
  if (window === undefined) return [];
  const intoMs = (stillMs - window.fromMs) % policy.hookStalledMs;
  const wasNudged = within(hookMemory.nudgedMs, intoMs);
  // A look that comes late in a window tries its nudge first.
  const wasRefused = within(hookMemory.refusedMs, intoMs) && intoMs >= policy.deadlineMs;
  const mayAsk = wasNudged || (wasRefused && !isExempt(polecat, policy));
  const context = `${hook} is on its hook and ${window.asks ?? ''}: no commit, no evidence of work for ${span(stillMs)}${unspokenText(polecat)}`;
  const ask = mayAsk && window.asks !== null && !within(hookMemory.askedMs, intoMs);
  return [
    ...(wasNudged ? [] : [{ act: 'nudge', kind: 'hook', agent, text: window.text } as const]),
    ...(ask ? [decide('stuck_agent', agent, context, 'hook')] : []),
  ];
}

/** Nothing of any kind is seen of it, a nudge did not wake it, and what is on its screen is no reason: it hangs (P-3). */
export function hungActs(polecat: PolecatSeen, policy: WitnessPolicy): WitnessAct[] {
  const { agent, hook, hookMemory } = polecat;
  const silentMs = quietMs(polecat);
  if (hook === null || silentMs < policy.hungMs || isExempt(polecat, policy)) return [];
  const { nudgedMs, askedMs } = hookMemory;
  const wasNudged = within(nudgedMs, silentMs) && !within(nudgedMs, policy.deadlineMs - 1);
  if (!wasNudged || within(askedMs, silentMs)) return [];
  const context = `nothing was seen of it for ${span(silentMs)}, and a nudge did not wake it: it hangs${unspokenText(polecat)}`;
  return [decide('stuck_agent', agent, context, 'hook')];
}

/** It keeps no patrol quick. */
export const isStalled = (polecat: PolecatSeen, policy: WitnessPolicy): boolean =>
  polecat.stillMs >= policy.hookStalledMs && !isExempt(polecat, policy);
