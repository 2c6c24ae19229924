/** What an import does with an export as people have them: nothing is lost without a word, and no work is taken away. */
import { describe, expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { importIssues, type Imported } from '../../src/ledger/import.ts';
import { issueLines } from '../../src/ledger/issue-lines.ts';
import { ready } from '../../src/ledger/walk.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { AT, bead } from './beads.ts';
import { MemoryLedger } from './memory.ts';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2027-01-01T00:00:00Z';

/** In pieces of any length, as a pipe gives them. */
async function* piecesOf(text: string, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function imported(ledger: Ledger, lines: readonly (string | object)[], pieces = 7): Promise<Imported> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const limits = { maxLineBytes: 400, maxDepth: LEDGER.maxDepth };
  return importIssues(
    { ledger, by: 'overseer', at: AT, atOnce: LEDGER.maxPage },
    issueLines(piecesOf(text, pieces), limits),
  );
}

const issue = (id: string, more: object = {}): object => ({ id, title: id, updated_at: LATE, ...more });
const waits = (...on: string[]): object => ({
  dependencies: on.map((one) => ({ depends_on_id: one, type: 'blocks' })),
});

async function ledgerWith(...beads: Bead[]): Promise<MemoryLedger> {
  const ledger = new MemoryLedger();
  await ledger.putAll(beads.map((one) => ({ bead: one, condition: { expects: 0, write: `w-${one.id}` } })));
  return ledger;
}
const only = async (ledger: Ledger, id: string): Promise<Bead | undefined> => (await ledger.beads([id]))[0];
const readyIn = async (ledger: Ledger): Promise<string[]> =>
  (await Array.fromAsync(ready(ledger, {}))).map(({ id }) => id).sort();

describe('lines', () => {
  test.each([1, 3, 64, 10_000])(
    'are read alike in pieces of %i bytes: a byte order mark, blank and wide ones',
    async (pieces) => {
      const ledger = new MemoryLedger();
      const lines = [`\ufeff${JSON.stringify(issue('a-1', { description: 'ä€😀' }))}`, '', '  ', issue('a-2')];
      expect(await imported(ledger, lines, pieces)).toMatchObject({ created: 2, refused: [] });
      expect((await only(ledger, 'a-1'))?.description).toBe('ä€😀');
    },
  );

  test('that are too long, too deep or no JSON are left out by their number, and the others are taken', async () => {
    const ledger = new MemoryLedger();
    const deep = '['.repeat(150) + ']'.repeat(150);
    const lines = [issue('a-1'), issue('a-2', { description: 'x'.repeat(400) }), deep, 'nope', issue('a-3')];
    const { created, refused } = await imported(ledger, lines);
    expect(created).toBe(2);
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(refused.map(({ why }) => why).join('\n')).toMatch(/a bead has at most 400\n.*64 levels deep\n.*no JSON/);
  });

  // Rules: P-1.
  test.each<[what: string, line: string, why: RegExp]>([
    ['nested 100,000 levels deep', '['.repeat(100_000) + ']'.repeat(100_000), /nested more than 64 levels deep$/],
    ['a string cut off behind two million quotes', `{"a":"${'\\"'.repeat(2_000_000)}`, /no JSON/],
    ['of 100 MB', 'x'.repeat(100_000_000), /^it has 100000000 bytes; a bead has at most 8000000$/],
  ])('%s: one sentence about that line, and the others are taken', async (_, line, why) => {
    const ledger = new MemoryLedger();
    const [first, last] = [JSON.stringify(issue('a-1')), JSON.stringify(issue('a-2'))];
    const pieces = piecesOf([first, line, last].join('\n'), 65_536);
    const lines = issueLines(pieces, { maxLineBytes: LEDGER.maxLineBytes, maxDepth: LEDGER.maxDepth });
    const came = await importIssues({ ledger, by: 'overseer', at: AT, atOnce: LEDGER.maxPage }, lines);
    expect(came).toMatchObject({ created: 2, refused: [{ line: 2, why: expect.stringMatching(why) as string }] });
  });

  test('ten thousand beads are written in pages, not one by one', async () => {
    class Counting extends MemoryLedger {
      pages = 0;
      override putAll(writes: Parameters<Ledger['putAll']>[0]): ReturnType<MemoryLedger['putAll']> {
        this.pages += 1;
        return super.putAll(writes);
      }
    }
    const ledger = new Counting();
    const lines = Array.from({ length: 10_000 }, (_, nth) => issue(`a-${nth}`));
    expect(await imported(ledger, lines, 65_536)).toMatchObject({ created: 10_000, refused: [] });
    expect(ledger.pages).toBe(10_000 / LEDGER.maxPage);
  });

  test('a comment that cannot be stored is left out alone', async () => {
    const ledger = new MemoryLedger();
    const comments = [
      { id: 'c-1', author: 'a', text: 'one', created_at: AT },
      { id: 'c-2', author: 'a', text: '', created_at: AT },
    ];
    expect(await imported(ledger, [issue('a-1', { comments })])).toMatchObject({ created: 1, refused: [{ line: 1 }] });
    expect((await ledger.comments('a-1', { limit: 9 })).items.map(({ id }) => id)).toEqual(['c-1']);
  });

  // Rules: P-1.
  test.each<[comments: unknown, whys: string[]]>([
    [null, []],
    [[{ id: 7, issue_id: 'a-1', author: 'a', text: 'one', created_at: AT }], []],
    ['one', ['its comments are no list']],
    [['one'], ['a comment of it is no JSON object']],
    [
      [{ author: 'a', text: 'one', edited: AT, votes: 2 }],
      ['its comments have a field "edited", which is not kept', 'its comments have a field "votes", which is not kept'],
    ],
  ])('comments %j: what is not kept is named', async (comments, whys) => {
    const { created, refused } = await imported(new MemoryLedger(), [issue('a-1', { comments })]);
    expect({ created, whys: refused.map(({ why }) => why) }).toEqual({ created: 1, whys });
  });

  test('about deleted beads are counted, and take nothing away', async () => {
    const ledger = await ledgerWith(bead('a-1'));
    const lines = Array.from({ length: 9 }, () => issue('a-1', { status: 'tombstone' }));
    expect(await imported(ledger, lines)).toMatchObject({ tombstones: 9, refused: [], updated: 0 });
    expect((await only(ledger, 'a-1'))?.status).toBe('open');
  });
});

describe('what stands here', () => {
  test.each(['hooked', 'in_progress'] as const)(
    '%s work stays with its agent, against the word of the export',
    async (status) => {
      const mine = bead('a-1', {
        status,
        assignee: 'shop/polecats/nux',
        attempts: 2,
        updatedAt: EARLY,
        metadata: { branch: 'b' },
      });
      const ledger = await ledgerWith(mine);
      const { held } = await imported(ledger, [issue('a-1', { title: 'new', status: 'open', assignee: '' })]);
      expect(held).toEqual(['a-1']);
      expect(await only(ledger, 'a-1')).toMatchObject({
        title: 'new',
        status,
        assignee: 'shop/polecats/nux',
        attempts: 2,
        metadata: { branch: 'b' },
      });
    },
  );

  test('closed there and held here: it stays open, and says so', async () => {
    const ledger = await ledgerWith(bead('a-1', { status: 'hooked', assignee: 'shop/polecats/nux', updatedAt: EARLY }));
    const closed = issue('a-1', { status: 'closed', closed_at: LATE });
    expect((await imported(ledger, [closed])).held).toEqual(['a-1']);
    expect((await only(ledger, 'a-1'))?.status).toBe('hooked');
  });

  test('changed later here: it stays; two lines about one bead are taken in order', async () => {
    const ledger = await ledgerWith(bead('a-1', { title: 'here', updatedAt: LATE }));
    const lines = [issue('a-1', { updated_at: EARLY }), issue('a-2', { title: 'one' }), issue('a-2', { title: 'two' })];
    expect(await imported(ledger, lines)).toMatchObject({ created: 1, updated: 1, older: 1 });
    expect((await only(ledger, 'a-1'))?.title).toBe('here');
    expect((await only(ledger, 'a-2'))?.title).toBe('two');
  });
});

describe('what can never begin is named and not given out', () => {
  test('a circle, one that reaches what was here before, and a blocker that is not there', async () => {
    const ledger = await ledgerWith(
      bead('here', { dependencies: [{ on: 'a-3', type: 'blocks', createdAt: '', createdBy: '', extra: {} }] }),
    );
    const lines = [
      issue('a-1', waits('a-2')),
      issue('a-2', waits('a-1')),
      issue('a-3', waits('here')),
      issue('a-4', waits('zz-9')),
      issue('a-5', waits('a-1')),
      issue('a-6'),
    ];
    const { never_ready: never } = await imported(ledger, lines);
    expect(never.circles.map((one) => [...one].sort()).sort()).toEqual([
      ['a-1', 'a-2'],
      ['a-3', 'here'],
    ]);
    expect(never.unknown).toEqual([{ id: 'a-4', on: 'zz-9' }]);
    expect(await readyIn(ledger)).toEqual(['a-6']);
  });

  test('a wisp that this ledger never had is unknown, under any name', async () => {
    const ledger = new MemoryLedger();
    const { never_ready: never } = await imported(ledger, [issue('a-1', waits('tw-wisp-x1'))]);
    expect(never.unknown).toEqual([{ id: 'a-1', on: 'tw-wisp-x1' }]);
    expect(await readyIn(ledger)).toEqual([]);
  });
});

test('a convoy as gt makes one for a rig tracks the beads that its links name', async () => {
  const ledger = new MemoryLedger();
  const tracks = [{ depends_on_id: 'external:sh:sh-1', type: 'tracks' }];
  const lines = [issue('hq-cv-1', { issue_type: 'convoy', dependencies: tracks }), issue('sh-1')];
  expect(await imported(ledger, lines)).toMatchObject({ created: 2, refused: [] });
  expect((await ledger.list({ dependsOn: 'sh-1' }, { limit: 9 })).items.map(({ id }) => id)).toEqual(['hq-cv-1']);
});
