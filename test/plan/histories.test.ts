/** Random plans have the same end however often they are cut off. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockersOf } from '../../machines/ledger/bead.ts';
import { beadsCalled } from '../../src/ledger/walk.ts';
import type { Put, PutWanted } from '../../state/ledger/port.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { laid, all, shape } from './laid.ts';

/** A ledger that ends the process, as it were, once so many beads are written. */
class CutLedger extends MemoryLedger {
  left = Infinity;

  override async putAll(writes: readonly PutWanted[]): Promise<Put[]> {
    const some = writes.slice(0, this.left);
    this.left -= some.length;
    const puts = await super.putAll(some);
    if (some.length < writes.length) throw new Error('cut off');
    return puts;
  }
}

const NAMES = Array.from({ length: 9 }, (_, at) => `task ${String.fromCharCode(97 + at)}`);
const random = fc
  .record({
    order: fc.shuffledSubarray(NAMES, { minLength: 1 }),
    links: fc.array(fc.tuple(fc.nat(8), fc.nat(8))),
    priorities: fc.array(fc.option(fc.integer({ min: 0, max: 4 })), { minLength: 9, maxLength: 9 }),
  })
  .map(({ order, links, priorities }) =>
    // A link leads to a name before it in the alphabet: no circle. The file has them in any order.
    order.map((title) => {
      const at = NAMES.indexOf(title);
      const earlier = links.flatMap(([one, other]) => (one === at && other < at ? [NAMES[other] ?? ''] : []));
      return {
        title,
        priority: priorities[at] ?? null,
        after: [...new Set(earlier)].filter((one) => order.includes(one)),
      };
    }),
  );
type Model = readonly { readonly title: string; readonly priority: number | null; readonly after: readonly string[] }[];
const written = (model: Model): string =>
  model
    .map(
      ({ title, priority, after }) =>
        `- [ ] ${title}${priority === null ? '' : ` (P${priority})`}\n${after.map((one) => `  after: ${one}\n`).join('')}`,
    )
    .join('');

// Rules: R-3.
test('random plans end as a model says, cut off anywhere, twice, and by two at once', async () => {
  const property = fc.asyncProperty(
    fc.array(random, { minLength: 1, maxLength: 3 }),
    fc.array(fc.nat(10), { maxLength: 4 }),
    async (plans, cuts) => {
      const ledger = new CutLedger();
      const model = new Map<string, { priority: number; after: readonly string[] }>();
      for (const plan of plans) {
        const text = written(plan);
        for (const cut of cuts) {
          ledger.left = cut;
          await laid(ledger, text).catch((error: unknown) => {
            expect(String(error)).toContain('cut off');
          });
          const beads = await all(ledger);
          const waited = beads.flatMap(blockersOf);
          expect(await beadsCalled(ledger, [...new Set(waited)])).toHaveLength(new Set(waited).size);
        }
        ledger.left = Infinity;
        await Promise.all([laid(ledger, text), laid(ledger, text)]);
        for (const { title, priority, after } of plan)
          model.set(title, { priority: priority ?? model.get(title)?.priority ?? 2, after });
        const seen = (await shape(ledger)).map(([title, priority, , after]) => [
          title,
          { priority, after: [...(after as string[])].sort() },
        ]);
        const wanted = [...model].map(([title, one]) => [title, { ...one, after: [...one.after].sort() }]);
        expect(seen.sort()).toEqual(wanted.sort());
      }
    },
  );
  await fc.assert(property, { numRuns: 150 });
});
