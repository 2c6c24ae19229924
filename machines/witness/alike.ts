/**
 * Many alerts of one kind are one (law 8): a person reads a few by name, and a count of the rest. A higher severity replaces a lower
 * one of the same cause (P-11).
 */
import { SEVERITIES } from '../patrols/escalations.ts';
import { fewAndRest } from '../patrols/few.ts';
import { tell } from './acts.ts';
import type { CycleStep } from './cycle-step.ts';
import type { TellAct, ToldSeen } from './observation.ts';

const MANY = 'many/';
const rank = ({ severity = 'critical' }: Partial<Pick<TellAct, 'severity'>>): number => SEVERITIES.indexOf(severity);

/** Whether this alert says more than the open one of the same cause. */
export function isNews(act: TellAct, before: ToldSeen | undefined): boolean {
  if (before === undefined || act.count === 'more' || rank(act) > rank(before)) return true;
  return act.count !== undefined && act.count !== before.count;
}

interface Told {
  readonly told: readonly ToldSeen[];
  /** Kinds that stand for one thing each, as their alerts begin: `idle/`. */
  readonly kinds: readonly string[];
}

/** The same steps; of a kind with more than a few the rest is one alert, which is over when there are few. */
export function manyAsOne(steps: readonly CycleStep[], { told, kinds }: Told): CycleStep[] {
  return kinds.reduce<CycleStep[]>((all, kind) => ofKind(all, kind, told), [...steps]);
}

function ofKind(steps: CycleStep[], kind: string, told: readonly ToldSeen[]): CycleStep[] {
  const isOne = (act: CycleStep['acts'][number]): act is TellAct => act.act === 'tell' && act.about.startsWith(kind);
  const fresh = steps.flatMap(({ acts }) => acts.filter(isOne));
  const named = told.filter(({ about }) => about.startsWith(kind)).length;
  const about = `${MANY}${kind.slice(0, -1)}`;
  const before = told.find((one) => one.about === about);
  const others = new Set(fewAndRest({ named, fresh, isCounted: before !== undefined }).rest);
  const [first] = others;
  if (first === undefined) return before === undefined ? steps : withEnd(steps, before);
  const one = tell(first.severity, about, `${others.size} more like this one: ${first.text}`, others.size);
  const isTold = !isNews(one, before);
  return steps.map(({ step, acts }) => ({
    step,
    acts: acts.flatMap((act) => {
      if (!isOne(act) || !others.has(act)) return [act];
      return act === first && !isTold ? [one] : [];
    }),
  }));
}

const withEnd = (steps: readonly CycleStep[], { id: bead, about }: ToldSeen): CycleStep[] =>
  steps.map(({ step, acts }, at) =>
    at < steps.length - 1
      ? { step, acts }
      : { step, acts: [...acts, { act: 'close', bead, reason: `it is over: ${about}` }] },
  );
