/** Any bead, and what a store is asked for. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { BEAD_STATUSES, type Bead } from '../../machines/ledger/bead.ts';
import type { Page, PageWanted } from '../../state/ledger/port.ts';
import { AT, bead } from './beads.ts';

let written = 0;
export const fresh = (expects = 0) => ({ expects, write: `w-${(written += 1)}` });

export async function every<T>(ask: (page: PageWanted) => Promise<Page<T>>, limit = 2): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: Page<T> = await ask(after === '' ? { limit } : { limit, after });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items);
    after = page.next;
  }
  return all;
}

const word = fc.stringMatching(/^[a-z]{1,6}$/);
/** Any signs, whole ones. */
export const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const someText = anyText.map((text) => `x${text}`);
// As text and back: -0 has no text of its own.
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as typeof value)
  .filter((value) => !JSON.stringify(value).includes('__proto__'));
const dependency = fc.record({
  on: word,
  type: fc.constantFrom('blocks', 'tracks', 'parent-child'),
  createdAt: fc.constantFrom('', AT),
  createdBy: anyText,
  extra: fc.dictionary(word, json, { maxKeys: 2 }),
});
export const anyBead: fc.Arbitrary<Bead> = fc
  .record({
    title: someText,
    description: anyText,
    type: fc.constantFrom('task', 'bug', 'gate', "'; DROP TABLE beads; --"),
    status: fc.constantFrom(...BEAD_STATUSES),
    priority: fc.integer({ min: 0, max: 4 }),
    assignee: fc.constantFrom('', 'shop/polecats/nux', 'x\0y', 'mayor'),
    labels: fc.uniqueArray(someText, { maxLength: 3 }),
    isWisp: fc.boolean(),
    wispType: fc.constantFrom('', 'patrol'),
    dependencies: fc.uniqueArray(dependency, { maxLength: 3, selector: ({ on, type }) => `${on} ${type}` }),
    metadata: fc.dictionary(someText, anyText, { maxKeys: 3 }).filter((map) => !Object.hasOwn(map, '__proto__')),
    attempts: fc.nat(),
    rig: fc.constantFrom('', 'shop'),
    createdAt: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((at) => at.toISOString()),
    extra: fc.dictionary(word, json, { maxKeys: 3 }),
  })
  .map((more) => bead('b', more));
