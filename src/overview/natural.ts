/** The order of names as people count: a2 before a10. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

export const natural = (one: string, other: string): number => COLLATOR.compare(one, other);
