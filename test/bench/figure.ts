/** A measured figure beside what was asked for. */
/** One figure: what was asked for and what was measured, both with unit. */
export interface Figure {
  readonly what: string;
  readonly asked: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** One that may be `most` at most. */
export const figure = (what: string, value: number, most: number, unit: string): Figure => ({
  what,
  asked: `<= ${most} ${unit}`,
  measured: `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ${unit}`,
  isMet: value <= most,
});
