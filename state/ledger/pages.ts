/** Pages of a list: where one ended is the sort key of its last item, so that no page is shifted by what is written meanwhile. */
import type { Bead } from '../../machines/ledger/bead.ts';
import { showText } from '../files/show-text.ts';
import { LedgerFault } from './fault.ts';
import { LEDGER } from './policy.ts';
import type { BeadQuery, Page, PageWanted } from './port.ts';

export type SortKey = readonly (string | number)[];

/** The place of a bead in a list: the smaller key comes first. */
export function sortKeyOf(bead: Bead, order: BeadQuery['order']): SortKey {
  const created = Date.parse(bead.createdAt);
  return order === 'oldest' ? [created, bead.id] : [bead.priority, -created, bead.id];
}

/** The key that a page begins after; null = the first page. Throws LedgerFault for what no page gave. */
export function afterOf({ after, limit }: PageWanted, parts: number): SortKey | null {
  if (!Number.isInteger(limit) || limit < 1 || limit > LEDGER.maxPage)
    throw new LedgerFault('bad_bead', `a page of ${limit} cannot be had: ask for 1 to ${LEDGER.maxPage}`);
  if (after === undefined) return null;
  try {
    const key: unknown = JSON.parse(after);
    if (Array.isArray(key) && key.length === parts) return key as SortKey;
  } catch {
    // Told below.
  }
  throw new LedgerFault('bad_bead', `no page ended at ${showText(after)}: take \`next\` of the page before`);
}

/** A page of what was found with one more than wanted. */
export const pageOf = <T>(found: readonly T[], limit: number, keyOf: (item: T) => SortKey): Page<T> =>
  pageFrom(found.slice(0, limit), found.length > limit, keyOf);

/** `hasMore`: there are others behind these. */
export function pageFrom<T>(items: readonly T[], hasMore: boolean, keyOf: (item: T) => SortKey): Page<T> {
  const last = items.at(-1);
  return { items, next: hasMore && last !== undefined ? JSON.stringify(keyOf(last)) : null };
}

/** The things of one call. Throws LedgerFault for more than a page of them. */
export function checkedPage<T>(things: readonly T[]): readonly T[] {
  if (things.length <= LEDGER.maxPage) return things;
  throw new LedgerFault('bad_bead', `${things.length} at once are too many: ask for ${LEDGER.maxPage} at most`);
}
