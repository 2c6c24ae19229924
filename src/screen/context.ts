/** How much of its context a program has used, as the last rows of its screen say. Pure. */
import type { Pack } from './pack.ts';
import { fromBottom } from './region.ts';
import { plain } from './text.ts';
import { withinOr } from './time-limit.ts';

/** Further up is talk, which may speak of anything. */
const STATUS_ROWS = 3;

const percentIn = (some: readonly RegExp[], text: string): number | null => {
  const found = some.map((one) => one.exec(text)?.[1]).find((one) => one !== undefined);
  return found === undefined ? null : Number(found);
};

/** In percent; null = it says nothing of it. */
export function contextUsed(
  pack: Pick<Pack, 'context_left' | 'context_used' | 'limit'>,
  rows: readonly string[],
): number | null {
  const read = (): number | null => {
    for (const { text } of fromBottom(rows.map(plain)).slice(0, STATUS_ROWS)) {
      const left = percentIn(pack.context_left, text);
      const used = left === null ? percentIn(pack.context_used, text) : 100 - left;
      if (used !== null) return used;
    }
    return null;
  };
  return withinOr(pack, read, null);
}
