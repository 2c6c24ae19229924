/** Tokens and costs for people. */
import type { Sums } from '../costs/tally.ts';

const KILO = 1_000;
const UNITS = ['', 'k', 'M', 'G'];
const CENTS = 2;

/** `950`, `12.3k`, `4.5M`. */
export function countText(count: number): string {
  let [value, at] = [count, 0];
  for (; value >= KILO && at < UNITS.length - 1; at += 1) value /= KILO;
  return at === 0 ? String(value) : `${value.toFixed(1)}${UNITS[at] ?? ''}`;
}

/** `-`: its program names none. */
export const costText = (cost: number | null): string => (cost === null ? '-' : `$${cost.toFixed(CENTS)}`);

/** `12.3k input, 4.5M from the cache, 950 output, $1.20`. */
export function sumsText({ input, cached, output, cost }: Sums): string {
  const parts = [`${countText(input)} input`, `${countText(cached)} from the cache`, `${countText(output)} output`];
  return [...parts, ...(cost === null ? [] : [costText(cost)])].join(', ');
}
