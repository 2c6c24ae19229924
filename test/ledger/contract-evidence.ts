/** What every store must do with evidence: the part of the ledger's contract about it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence, Ledger } from '../../state/ledger/port.ts';
import { anyText, every } from './any-bead.ts';

/** A store of its own. */
export interface Opened {
  readonly ledger: Ledger;
  readonly end: () => void;
}

export function testEvidence(open: () => Opened): void {
  test('the newest evidence of an author is the one with the latest time, in any order of writing', async () => {
    const evidence = fc.record({ author: fc.constantFrom('nux', 'x\0é', "o'x"), at: fc.nat(20), text: anyText });
    await fc.assert(
      fc.asyncProperty(fc.array(evidence, { maxLength: 12 }), async (some) => {
        const store = open();
        try {
          const all = some.map((one, n): Evidence => ({
            ...one,
            id: `e-${String(n).padStart(2, '0')}`,
            kind: 'note',
          }));
          for (const one of all) expect(await store.ledger.addEvidence(one)).toBe('stored');
          for (const one of all) expect(await store.ledger.addEvidence(one)).toBe('stored');
          const newestFirst = (author: string) =>
            all.filter((one) => one.author === author).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
          const authors = [...new Set(all.map(({ author }) => author))].sort((a, b) =>
            Buffer.compare(Buffer.from(a), Buffer.from(b)),
          );
          for (const author of ['nux', 'stranger', ...authors]) {
            expect(await store.ledger.newestEvidence(author)).toEqual(newestFirst(author)[0] ?? null);
            expect(await every((page) => store.ledger.evidence(author, page))).toEqual(newestFirst(author));
            const early = newestFirst(author).filter(({ at }) => at <= 10);
            expect(await store.ledger.newestEvidence(author, 10)).toEqual(early[0] ?? null);
            expect(await every((page) => store.ledger.evidence(author, page, 10))).toEqual(early);
          }
          expect(await every((page) => store.ledger.newestOfEach(page))).toEqual(
            authors.map((author) => newestFirst(author)[0]),
          );
          for (const author of authors) {
            const [newest, ...older] = newestFirst(author);
            const kept = older.filter(({ at }) => at >= 10);
            expect(await store.ledger.forgetEvidence(author, 10)).toBe(older.length - kept.length);
            expect(await every((page) => store.ledger.evidence(author, page))).toEqual([newest, ...kept]);
            expect(await store.ledger.newestEvidence(author)).toEqual(newest);
          }
        } finally {
          store.end();
        }
      }),
      { numRuns: 20 },
    );
    const { ledger, end } = open();
    await ledger.addEvidence({ id: 'e', author: 'nux', kind: 'note', text: '', at: 1 });
    expect(await ledger.addEvidence({ id: 'e', author: 'nux', kind: 'note', text: 'other', at: 1 })).toBe('conflict');
    end();
  });
}
