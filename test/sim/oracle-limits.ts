/**
 * What a town may never do with agents that a usage limit cut off, by the log of an outside observer (M-9): its own arithmetic.
 */
import type { Ears } from './ears.ts';
import { LIMITS } from './ears-history.ts';
import { anyOf, of, type EntryOf } from './log.ts';

/** Who types that. */
export const TO_GO_ON = 'town';
/** From a scan, over the look that it rests on, to the last key. */
const SLACK_MS = 20_000;
/** No turn runs, by its own end. */
const RESTS = ['idle', 'done', 'error', 'denied'];
type Typed = EntryOf<'typed'>;

export function judgeGoOn({ log, agents, minds }: Ears): string[] {
  const sessionOf = (life: string): string => agents.lives.get(life)?.session.plan.name ?? '';
  const isHonest = (life: string): boolean => {
    const { program, screen } = minds.sources[sessionOf(life)] ?? {};
    return program === 'true' && screen === 'true';
  };
  const told = of(log, 'typed').filter(({ from }) => from === TO_GO_ON);
  const changes = (life: string) => of(log, 'became').filter((one) => one.life === life);
  const found = told.filter(({ life }) => isHonest(life)).flatMap((one) => [...early(one), ...idle(one)]);
  for (const all of Map.groupBy(told, ({ life }) => life).values()) found.push(...twice(all));
  const ofAccount = told.filter(({ life }) => agents.lives.get(life)?.session.plan.shares === true);
  return [...found, ...ofAccount.flatMap(unproved)];

  /** Before the time that its limit names. One that began a moment ago is not known yet. */
  function early({ t, life }: Typed): string[] {
    if (agents.lives.get(life)?.session.plan.shares !== true) return [];
    const limit = of(log, 'hindered').find(
      (one) => one.session === sessionOf(life) && one.cause === 'limited' && one.t + SLACK_MS < t && one.until > t,
    );
    return limit === undefined
      ? []
      : [`${life} was told to go on at ${t}, before the end of its limit at ${limit.until}`];
  }

  /** It was at rest when the limit came. */
  function idle({ t, life }: Typed): string[] {
    const states = changes(life).flatMap((one) => (one.t <= t ? [one.state] : []));
    const since = states.slice(states.findLastIndex((state) => RESTS.includes(state)) + 1);
    // It may meet its limit again.
    const isCut = since.includes('working') || since.some((state, n) => state === 'limited' && since[n + 1] === state);
    return isCut ? [] : [`${life} was told to go on at ${t}, though it was at rest before`];
  }

  /** It met a limit that names its end, by then. */
  function hasEnd({ t, life }: Typed): boolean {
    const session = sessionOf(life);
    const isMet = of(log, 'hindered').some((one) => one.session === session && one.cause === 'limited' && one.t <= t);
    return isMet && agents.lives.get(life)?.session.plan.shares === true;
  }

  /** Without a named end it is tried again, at a slow pace from when the town began to type. */
  function twice(all: readonly Typed[]): string[] {
    return all.flatMap((one, n) => {
      const { t, life } = one;
      const next = all[n + 1];
      if (next !== undefined && !hasEnd(one) && next.t >= t + LIMITS.limitProofMs) return [];
      // What a killed town did is not known to have been done.
      const isKnown = !anyOf(log, 'ended').some((end) => end.t >= t && end.t <= t + SLACK_MS);
      const isSame = next !== undefined && !changes(life).some((change) => change.t > t && change.t <= next.t);
      return isKnown && isSame ? [`${life} was told to go on at ${t} and at ${next.t}, for one limit`] : [];
    });
  }

  /** The next one of the account before this one went on, ended, met the limit again, or had its time. */
  function unproved({ t, life }: Typed, n: number): string[] {
    const next = ofAccount[n + 1];
    if (next === undefined || next.t >= t + LIMITS.limitProofMs - SLACK_MS || sessionOf(next.life) === sessionOf(life))
      return [];
    const isOver = anyOf(log, 'became', 'died').some((one) => one.life === life && one.t >= t && one.t <= next.t);
    return isOver || !isHonest(life)
      ? []
      : [`${next.life} was told to go on at ${next.t}, though ${life} did not go on since ${t}`];
  }
}
