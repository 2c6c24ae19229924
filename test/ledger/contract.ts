/**
 * What every store must do to be the ledger: run against each of them. It asks nothing but the port, takes
 * no order of ids for granted, and waits for nothing but the calls.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BEAD_STATUSES, NOT_OFFICIAL, type Bead } from '../../machines/ledger/bead.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { beadText } from '../../state/ledger/schema.ts';
import type { BeadQuery, Ledger } from '../../state/ledger/port.ts';
import { AT, bead } from './beads.ts';
import { anyBead, every, fresh } from './any-bead.ts';
import { testEvidence, type Opened } from './contract-evidence.ts';

export function contractOf(name: string, open: () => Opened): void {
  describe(name, () => {
    let ledger: Ledger;
    let end: () => void;
    beforeEach(() => ({ ledger, end } = open()));
    afterEach(() => end());
    const put = async (one: Bead) => {
      const answer = await ledger.put(one, fresh());
      if (answer.is === 'conflict') throw new Error(`${one.id} was there`);
      return answer.bead;
    };
    const ids = (query: BeadQuery) => every((page) => ledger.list(query, page)).then((all) => all.map(({ id }) => id));

    test('a bead comes back as it was put, with any signs in it', async () => {
      let n = 0;
      await fc.assert(
        fc.asyncProperty(anyBead, async (given) => {
          const one = { ...given, id: `b-${(n += 1)}` };
          const stored = await put(one);
          expect(stored.version).toBeGreaterThan(0);
          expect(stored).toEqual({ ...one, version: stored.version });
          expect(await ledger.beads([one.id])).toEqual([stored]);
          expect(await ids({ statuses: [one.status], assignee: one.assignee, labels: one.labels })).toContain(one.id);
        }),
      );
    });

    test('what is official comes from the condition of a write alone, and stays through every other write', async () => {
      const by = { by: 'shop/witness', via: 'town', life: null, at: AT } as const;
      const made = { made: by, resolution: null };
      const chosen = { made: by, resolution: { ...by, choice: 'NUDGE', note: 'x' } };
      expect((await put({ ...bead('tw-0'), official: chosen })).official).toEqual(NOT_OFFICIAL);
      const first = await ledger.put(bead('tw-1'), { ...fresh(), official: made });
      const second = await ledger.put({ ...bead('tw-1'), official: chosen }, fresh(first.bead!.version));
      expect([first.bead?.official, second.bead?.official]).toEqual([made, made]);
      const third = await ledger.put(bead('tw-1'), { ...fresh(second.bead!.version), official: chosen });
      expect(third.bead?.official).toEqual(chosen);
      expect((await ledger.beads(['tw-1']))[0]?.official).toEqual(chosen);
    });

    test('what is none of its kind is refused with a sentence, and nothing is stored', async () => {
      const wrong: [Partial<Bead>, RegExp][] = [
        [{ id: '../x y' }, /is no id/],
        [{ id: '' }, /is no id/],
        [{ id: 'a/../b' }, /is no id/],
        [{ id: 'a..b' }, /is no id/],
        [{ title: ' ' }, /\(title\) .*empty/],
        [{ title: 'x'.repeat(501) }, /501 characters, the limit is 500/],
        [{ description: 'x'.repeat(LEDGER.maxText + 1) }, /the limit is/],
        [{ labels: ['a', 'a'] }, /twice/],
        [{ labels: ['\ud800'] }, /half a character/],
        [{ priority: 5 }, /0 to 4/],
        [{ status: 'done' as 'open' }, /"done" is none of open/],
        [{ createdAt: 'yesterday' }, /expected a time/],
        [{ extra: JSON.parse('{"__proto__": 1}') as Bead['extra'] }, /__proto__/],
        [{ extra: { much: 'x'.repeat(LEDGER.maxBytes) } }, /bytes, the limit is/],
      ];
      for (const [more, why] of wrong) await expect(ledger.put(bead('b', more), fresh())).rejects.toThrow(why);
      await expect(ledger.list({}, { limit: 501 })).rejects.toThrow('1 to 500');
      await expect(ledger.list({}, { limit: 1, after: 'nonsense' })).rejects.toThrow('no page ended at');
      expect(await ids({})).toEqual([]);
    });

    test('many writes and comments in one call: an answer for each, and one that cannot be stored stores none', async () => {
      const one = (id: string, expects: number) => ({ bead: bead(id), condition: fresh(expects) });
      const first = await ledger.putAll([one('tt-1', 0), one('tt-2', 0)]);
      expect(first.map(({ is }) => is)).toEqual(['done', 'done']);
      const version = first[0]?.bead?.version ?? 0;
      const next = await ledger.putAll([one('tt-2', 0), one('tt-3', 0), one('tt-1', version)]);
      expect(next.map(({ is, bead: stands }) => [is, stands?.id])).toEqual([
        ['conflict', 'tt-2'],
        ['done', 'tt-3'],
        ['done', 'tt-1'],
      ]);
      const bad = { bead: bead('tt-5', { title: '' }), condition: fresh() };
      await expect(ledger.putAll([one('tt-4', 0), bad])).rejects.toMatchObject({ code: 'bad_bead' });
      const words = { beadId: 'tt-1', author: 'me', text: 'x', createdAt: AT };
      expect(
        await ledger.commentAll([
          { ...words, id: 'c1' },
          { ...words, id: 'c1' },
        ]),
      ).toEqual(['stored', 'stored']);
      await expect(
        ledger.commentAll([
          { ...words, id: 'c2' },
          { ...words, id: 'c3', text: '' },
        ]),
      ).rejects.toThrow('empty');
      expect(await ledger.beads(['tt-4', 'tt-5'])).toEqual([]);
      expect((await ledger.comments('tt-1', { limit: 9 })).items.map(({ id }) => id)).toEqual(['c1']);
    });

    test('of two writers that read the same version one is told that it came second', async () => {
      const first = await put(bead('b'));
      const [one, other] = await Promise.all(
        ['one', 'other'].map((assignee) => ledger.put({ ...first, assignee }, fresh(first.version))),
      );
      expect([one!.is, other!.is].sort()).toEqual(['conflict', 'done']);
      expect(one!.bead).toEqual(other!.bead);
      expect(one!.bead?.version).toBeGreaterThan(first.version);
      expect(await ledger.put(bead('b'), fresh())).toEqual({ is: 'conflict', bead: one!.bead });
      expect(await ledger.put(bead('gone'), fresh(3))).toEqual({ is: 'conflict', bead: null });
    });

    test('a write that is repeated changes nothing, also after others wrote', async () => {
      const create = fresh();
      const made = await ledger.put(bead('b'), create);
      expect(await ledger.put(bead('b'), create)).toEqual(made);
      const mine = fresh(made.bead?.version);
      const { bead: own } = await ledger.put(bead('b', { assignee: 'one' }), mine);
      const theirs = await ledger.put(bead('b', { assignee: 'other' }), fresh(own?.version));
      expect(theirs).toMatchObject({ is: 'done', bead: { assignee: 'other' } });
      expect(await ledger.put(bead('b', { assignee: 'one' }), mine)).toEqual(theirs);
      expect(await ledger.beads(['b'])).toEqual([theirs.bead]);
    });

    test('what is removed is gone with its comments, only at the version that was read', async () => {
      const link = { on: 'c', type: 'blocks', createdAt: AT, createdBy: '', extra: {} };
      const { version } = await put(bead('b', { labels: ['l'], dependencies: [link] }));
      await ledger.comment({ id: 'c-1', beadId: 'b', author: 'mayor', text: 'heard', createdAt: AT });
      expect(await ledger.remove('b', version + 1)).toBe('conflict');
      expect(await ledger.tallies(['b', 'c'])).toEqual([
        { dependents: 0, comments: 1 },
        { dependents: 1, comments: 0 },
      ]);
      expect(await ledger.remove('b', version)).toBe('stored');
      expect(await ledger.remove('b', version)).toBe('stored');
      expect(await ledger.beads(['b'])).toEqual([]);
      expect(await ids({ labels: ['l'] })).toEqual([]);
      expect(await ledger.tallies(['b', 'c'])).toEqual([
        { dependents: 0, comments: 0 },
        { dependents: 0, comments: 0 },
      ]);
      await put(bead('b'));
    });

    test('the largest bead that may be is stored whole, and a page of such ends', async () => {
      const room = LEDGER.maxBytes - Buffer.byteLength(beadText(bead('b-0', { extra: { much: '' } })));
      for (const n of [0, 1, 2]) await put(bead(`b-${n}`, { extra: { much: 'x'.repeat(room) } }));
      expect((await every((page) => ledger.list({}, page))).map(({ extra }) => String(extra['much']).length)).toEqual(
        Array(3).fill(room),
      );
    });

    test('of some ids a list gives those that fit it, by pages too', async () => {
      for (const n of [0, 1, 2, 3]) await put(bead(`b-${n}`, n === 2 ? { status: 'closed' } : {}));
      const some = ['b-3', 'b-2', 'none', 'b-0', 'b-0'];
      expect(await ids({ ids: some })).toEqual(['b-0', 'b-3']);
      expect(await ids({ ids: some, statuses: BEAD_STATUSES, order: 'oldest' })).toEqual(['b-0', 'b-2', 'b-3']);
      expect(await ids({ ids: [] })).toEqual([]);
      await expect(ledger.list({ ids: Array<string>(501).fill('b-0') }, { limit: 1 })).rejects.toThrow('500 at most');
    });

    test('the same store with less time is the same store', async () => {
      const hasty = ledger.within(LEDGER.callMs / 2);
      const { version } = await put(bead('b'));
      expect(await hasty.put(bead('b', { assignee: 'nux' }), fresh(version))).toMatchObject({ is: 'done' });
      expect(await ledger.beads(['b'])).toMatchObject([{ assignee: 'nux' }]);
    });

    test('lists by every filter, on pages without a gap or a double', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyBead, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), async (some, limit) => {
          const store = open();
          try {
            const all = some.map((one, n) => ({
              ...one,
              id: `b-${n}`,
              labels: one.isWisp ? ['l', ...one.labels] : [],
            }));
            for (const one of all) await store.ledger.put(one, fresh());
            const queries: [BeadQuery, (one: Bead) => boolean][] = [
              [{}, (one) => one.status !== 'closed'],
              [{ statuses: ['closed', 'open'] }, (one) => ['closed', 'open'].includes(one.status)],
              [
                { statuses: ['hooked'], assignee: 'mayor' },
                (one) => one.status === 'hooked' && one.assignee === 'mayor',
              ],
              [
                { type: 'gate', assignee: '' },
                (one) => one.status !== 'closed' && one.type === 'gate' && one.assignee === '',
              ],
              [{ labels: ['l'], isWisp: true }, (one) => one.status !== 'closed' && one.isWisp],
              [{ statuses: BEAD_STATUSES, labels: ['l'] }, (one) => one.isWisp],
              [{ statuses: BEAD_STATUSES, rig: 'shop' }, (one) => one.rig === 'shop'],
              [
                { hasBlockers: true },
                (one) => one.status !== 'closed' && one.dependencies.some(({ type }) => type === 'blocks'),
              ],
              [{ statuses: BEAD_STATUSES, dependsOn: 'a' }, (one) => one.dependencies.some(({ on }) => on === 'a')],
            ];
            for (const order of ['urgent', 'oldest'] as const) {
              const sign = (one: Bead) => (order === 'oldest' ? 1 : -1) * Date.parse(one.createdAt);
              for (const [query, isIn] of queries) {
                const found = await every((page) => store.ledger.list({ ...query, order }, page), limit);
                const wanted = all
                  .filter(isIn)
                  .sort(
                    (a, b) =>
                      (order === 'urgent' ? a.priority - b.priority : 0) || sign(a) - sign(b) || (a.id < b.id ? -1 : 1),
                  );
                expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
              }
            }
          } finally {
            store.end();
          }
        }),
        { numRuns: 20 },
      );
    });

    test('labels and links follow each change of a bead', async () => {
      const links = [{ on: 't', type: 'tracks', createdAt: AT, createdBy: '', extra: {} }];
      const one = await put(bead('b', { labels: ['old', 'both'] }));
      const next = await ledger.put({ ...one, labels: ['both', 'new'], dependencies: links }, fresh(one.version));
      expect([await ids({ labels: ['old'] }), await ids({ labels: ['both', 'new'] })]).toEqual([[], ['b']]);
      expect(await ids({ dependsOn: 't' })).toEqual(['b']);
      await ledger.put({ ...one, status: 'closed', labels: ['both'] }, fresh(next.bead?.version));
      expect([await ids({ labels: ['both'] }), await ids({ dependsOn: 't' })]).toEqual([[], []]);
      expect(await ids({ labels: ['both'], statuses: ['closed'] })).toEqual(['b']);
    });

    test('the end of a wisp is remembered where a bead depends on it, and no other end', async () => {
      const links = ['tw-wisp-on', 'task'].map((on) => ({
        on,
        type: 'blocks',
        createdAt: '',
        createdBy: '',
        extra: {},
      }));
      await put(bead('waits', { dependencies: links }));
      for (const id of ['tw-wisp-on', 'tw-wisp-alone', 'task'])
        await ledger.remove(id, (await put(bead(id, { isWisp: id !== 'task' }))).version);
      expect(await ledger.ended(['tw-wisp-alone', 'tw-wisp-never', 'task', 'tw-wisp-on'])).toEqual(['tw-wisp-on']);
    });

    test('what a bead waits for follows each change of it', async () => {
      const blocks = [{ on: 't', type: 'blocks', createdAt: AT, createdBy: '', extra: {} }];
      const one = await put(bead('b', { dependencies: blocks }));
      expect(await ids({ hasBlockers: true })).toEqual(['b']);
      const [tracks] = blocks.map((link) => ({ ...link, type: 'tracks' }));
      await ledger.put({ ...one, dependencies: tracks === undefined ? [] : [tracks] }, fresh(one.version));
      expect(await ids({ hasBlockers: true })).toEqual([]);
    });

    test('comments come back by age, and the same one once more is known', async () => {
      const say = (id: string, createdAt: string) =>
        ledger.comment({ id, beadId: 'b', author: 'mayor', text: `\0${id}`, createdAt });
      await say('c-2', '2026-11-22T19:26:19Z');
      await say('c-1', '2026-11-22T19:26:20Z');
      expect(await say('c-1', '2026-11-22T19:26:20Z')).toBe('stored');
      expect(await say('c-1', AT)).toBe('conflict');
      expect((await every((page) => ledger.comments('b', page), 1)).map(({ id }) => id)).toEqual(['c-2', 'c-1']);
    });

    testEvidence(open);
  });
}
