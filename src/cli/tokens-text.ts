/** Tokens and costs for people. */
import { countText } from '../../machines/kernel/count-text.ts';
import type { Sums } from '../costs/tally.ts';

const CENTS = 2;

/** `-`: its program names none. */
export const costText = (cost: number | null): string => (cost === null ? '-' : `$${cost.toFixed(CENTS)}`);

/** `12.3k input, 4.5M from the cache, 950 output, $1.20`. */
export function sumsText({ input, cached, output, cost }: Sums): string {
  const parts = [`${countText(input)} input`, `${countText(cached)} from the cache`, `${countText(output)} output`];
  return [...parts, ...(cost === null ? [] : [costText(cost)])].join(', ');
}
