/** A measured figure beside what was asked for. */
import type { Paired } from './town.ts';

/** One figure: what was asked for and what was measured, both with unit. */
export interface Figure {
  readonly what: string;
  readonly asked: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** What the times that were asked for count on: a machine on which Node starts in so many ms. */
const USUAL_NODE_MS = 40;

/** A time that may be `most` ms at most where Node starts in 40 ms, by the ratio to its start here. */
export function scaled(what: string, { ms, node }: Paired, most: number): Figure {
  const there = (ms * USUAL_NODE_MS) / node;
  return {
    what,
    asked: `<= ${most} ms where Node starts in ${USUAL_NODE_MS} ms`,
    measured: `${there.toFixed(0)} ms (${ms.toFixed(0)} here)`,
    isMet: there <= most,
  };
}

/** One that may be `most` at most. */
export const figure = (what: string, value: number, most: number, unit: string): Figure => ({
  what,
  asked: `<= ${most} ${unit}`,
  measured: `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ${unit}`,
  isMet: value <= most,
});
