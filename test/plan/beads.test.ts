/** What a plan makes of the ledger: made once, changed by title, circles by their lines. */
import { describe, expect, test } from 'vitest';
import { blockersOf, type Bead } from '../../machines/ledger/bead.ts';
import { draw, leavesText } from '../../src/plan/beads.ts';
import { readPlan } from '../../src/plan/read.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { WANTED, laid, all, shape } from './laid.ts';

const put = async (ledger: Ledger, ...beads: Bead[]): Promise<void> => {
  for (const one of beads) {
    const [known] = await ledger.beads([one.id]);
    await ledger.put(one, { expects: known?.version ?? 0, write: `w-${one.id}-${known?.version ?? 0}` });
  }
};
const called = async (ledger: Ledger, title: string): Promise<Bead> => {
  const found = (await all(ledger)).filter((one) => one.title === title);
  expect(found).toHaveLength(1);
  return found[0] as Bead;
};
const is = ({ rows }: Awaited<ReturnType<typeof laid>>) => rows.map((row) => row.is);
const mistakesOf = async (text: string, ledger: Ledger = new MemoryLedger()) => {
  const { mistakes, writes } = await draw(ledger, readPlan(text), WANTED);
  expect(writes).toEqual([]);
  return mistakes.map((one) => `${one.line}: ${one.text}`);
};

// Rules: R-3.
describe('a plan', () => {
  const PLAN = '- [ ] one (P1)\n- [ ] two\n  after: one\n  text\n- [ ] three after: 1, two\n';

  test('becomes beads in its order, and once more changes nothing', async () => {
    const ledger = new MemoryLedger();
    expect(is(await laid(ledger, PLAN))).toEqual(['made', 'made', 'made']);
    const made = await all(ledger);
    expect(await shape(ledger)).toEqual([
      ['one', 1, '', []],
      ['two', 2, 'text', ['one']],
      ['three', 2, '', ['one', 'two']],
    ]);
    expect(is(await laid(ledger, PLAN.replaceAll('one', 'One').replace('- [ ] One', '- [ ] one')))).toEqual([
      'same',
      'same',
      'same',
    ]);
    expect(await all(ledger)).toEqual(made);
  });

  test('changes by title what it says anew, and leaves what it does not name', async () => {
    const ledger = new MemoryLedger();
    await laid(ledger, PLAN);
    const two = await called(ledger, 'two');
    const hand = { on: 'tw-other', type: 'blocks', createdAt: '', createdBy: 'me', extra: {} };
    await put(ledger, { ...two, priority: 0, dependencies: [...two.dependencies, hand] });
    expect(is(await laid(ledger, '- [ ] one (P3)\n- [ ] two\n  after: three\n- [ ] three\n'))).toEqual([
      'changed',
      'changed',
      'changed',
    ]);
    expect(await shape(ledger)).toEqual([
      ['one', 3, '', []],
      ['two', 0, 'text', ['tw-other', 'three']],
      ['three', 2, '', []],
    ]);
  });

  test('changes a text that it gave, and leaves one that was changed by hand', async () => {
    const ledger = new MemoryLedger();
    const text = async (): Promise<string> => (await called(ledger, 'two')).description;
    const byHand = async (description: string): Promise<void> =>
      put(ledger, { ...(await called(ledger, 'two')), description });
    const says = (word: string): string => PLAN.replace('text', word);
    const lays = async (word: string) => {
      const { rows } = await laid(ledger, says(word));
      const { is, task, bead } = rows[1]!;
      return [is, leavesText(task, bead!), await text()];
    };
    expect(await lays('text')).toEqual(['made', false, 'text']);
    expect(await lays('anew')).toEqual(['changed', false, 'anew']);
    await byHand('anew, but never touch the lexer');
    // The file says nothing else than before.
    expect(await lays('anew')).toEqual(['same', false, 'anew, but never touch the lexer']);
    expect(await lays('other')).toEqual(['same', true, 'anew, but never touch the lexer']);
    expect(await lays('other')).toEqual(['same', true, 'anew, but never touch the lexer']);
    // Emptied, it is the plan's again.
    await byHand('');
    expect(await lays('other')).toEqual(['changed', false, 'other']);
    expect(await lays('text')).toEqual(['changed', false, 'text']);
  });

  test('leaves the text of work that it did not make, and gives one to work without', async () => {
    const ledger = new MemoryLedger();
    await put(
      ledger,
      bead('tw-1', { title: 'one', rig: 'shop', description: 'by hand' }),
      bead('tw-2', { title: 'two', rig: 'shop', description: '' }),
    );
    const { rows } = await laid(ledger, '- [ ] one\n  the file\n- [ ] two\n  the file\n');
    expect(rows.map(({ task, bead, is }) => [is, leavesText(task, bead!), bead?.description])).toEqual([
      ['same', true, 'by hand'],
      ['changed', false, 'the file'],
    ]);
  });

  test('takes open work of the same title for its own, however it was made, and closed work of other hands not', async () => {
    const ledger = new MemoryLedger();
    await put(
      ledger,
      bead('tw-hand', { title: 'Two ', rig: 'shop' }),
      bead('tw-old', { title: 'one', rig: 'shop', status: 'closed', closedAt: '2026-01-01T00:00:00Z' }),
      bead('tw-far', { title: 'three', rig: 'other' }),
    );
    expect(is(await laid(ledger, PLAN))).toEqual(['made', 'changed', 'made']);
    expect((await called(ledger, 'two')).id).toBe('tw-hand');
    expect(is(await laid(ledger, PLAN))).toEqual(['same', 'same', 'same']);
  });

  test('leaves closed work closed, a renamed bead renamed, and makes nothing of a ticked task', async () => {
    const ledger = new MemoryLedger();
    await laid(ledger, PLAN);
    const [one, two] = [await called(ledger, 'one'), await called(ledger, 'two')];
    await put(ledger, { ...one, status: 'closed', closedAt: '2026-01-01T00:00:00Z' }, { ...two, title: 'deux' });
    const again = '- [ ] one\n  changed\n- [ ] two\n- [x] four\n- [ ] five\n  after: four, one\n';
    expect(is(await laid(ledger, again))).toEqual(['closed', 'changed', 'ticked', 'made']);
    expect((await called(ledger, 'one')).description).toBe('');
    expect((await called(ledger, 'deux')).id).toBe(two.id);
    expect(blockersOf(await called(ledger, 'five'))).toEqual([one.id]);
    expect(is(await laid(ledger, '- [ ] deux\n'))).toEqual(['same']);
  });

  test('follows a bead that was renamed with its task; later work of the old title is another, also once both are closed', async () => {
    const ledger = new MemoryLedger();
    await laid(ledger, '- [ ] mend the parser\n');
    const first = await called(ledger, 'mend the parser');
    await put(ledger, { ...first, title: 'mend the lexer' });
    const both = '- [ ] mend the parser\n  of the shell\n- [ ] mend the lexer\n  after: 1\n';
    expect(is(await laid(ledger, both))).toEqual(['made', 'changed']);
    expect(is(await laid(ledger, both))).toEqual(['same', 'same']);
    const [parser, lexer] = [await called(ledger, 'mend the parser'), await called(ledger, 'mend the lexer')];
    expect([lexer.id, lexer.description, parser.description]).toEqual([first.id, '', 'of the shell']);
    const closed = { status: 'closed', closedAt: '2026-01-01T00:00:00Z' } as const;
    await put(ledger, { ...lexer, ...closed });
    expect(is(await laid(ledger, both))).toEqual(['same', 'closed']);
    await put(ledger, { ...parser, ...closed });
    expect(is(await laid(ledger, both))).toEqual(['closed', 'closed']);
    expect(is(await laid(ledger, '- [ ] mend the lexer\n'))).toEqual(['closed']);
    expect(await all(ledger)).toHaveLength(2);
  });

  test('may wait for a bead that is not in it, by id or title', async () => {
    const ledger = new MemoryLedger();
    await put(ledger, bead('tw-1', { rig: 'other' }), bead('tw-2', { title: 'the base', rig: 'shop' }));
    await laid(ledger, '- [ ] one\n  after: tw-1, The base\n');
    expect(blockersOf(await called(ledger, 'one'))).toEqual(['tw-1', 'tw-2']);
  });
});

// Rules: R-3.
test.each([
  ['- [ ] a\n- [ ] b\n- [ ] A', ['3: "A" is the title of line 1 too; give each its own']],
  ['- [ ] a\n  after: a', ['2: "a" waits for itself']],
  ['- [ ] a\n  after:', ['2: after: names no task']],
  ['- [ ] a\n  after: 7', ['2: there is no task 7; the plan has 1']],
  ['- [ ] write\n- [ ] b\n  after: wrote', ['3: no task is called "wrote"; did you mean line 1, "write"?']],
  ['- [ ] a after: b', ['1: no task is called "b"; write the title of a task, or the id of a bead']],
  ['- [ ] a\n  after: zzzzzz', ['2: no task is called "zzzzzz"; write the title of a task, or the id of a bead']],
  ['1. [ ] a\n\ntext\n\n1. [ ] b\n2. [ ] c\n   after: 1', ['7: 1 may be the task of line 1 and 5; write its title']],
  [
    '- [ ] a after: c\n- [ ] x after: a\n- [ ] b after: 1\n- [ ] c after: b\n',
    ['1: these wait for each other, so that none can begin: line 1 → line 4 → line 3 → line 1; take one `after:` away'],
  ],
  [
    '- [ ] a (P7)\n- [ ] A\n- [ ] b\n  after: nothing\n- [ ] c after: d\n- [ ] d after: c\n- [ ] e after: f\n- [ ] f after: e\n',
    [
      '1: (P7) is no priority; write (P0), the most urgent, to (P4)',
      '2: "A" is the title of line 1 too; give each its own',
      '4: no task is called "nothing"; write the title of a task, or the id of a bead',
      '5: these wait for each other, so that none can begin: line 5 → line 6 → line 5; take one `after:` away',
      '7: these wait for each other, so that none can begin: line 7 → line 8 → line 7; take one `after:` away',
    ],
  ],
])('%j is refused whole', async (text, mistakes) => {
  expect(await mistakesOf(text)).toEqual(mistakes);
});

// Rules: R-3.
test('a circle that leads through beads outside of the plan is named too', async () => {
  const ledger = new MemoryLedger();
  await laid(ledger, '- [ ] a\n- [ ] b\n');
  const b = await called(ledger, 'b');
  const link = (on: string) => ({ on, type: 'blocks', createdAt: '', createdBy: '', extra: {} });
  await put(ledger, bead('tw-x', { title: 'x', dependencies: [link(b.id)] }));
  const [said] = await mistakesOf('- [ ] a\n- [ ] b\n  after: tw-x\n', ledger);
  expect(said).toBe(
    '2: these wait for each other, so that none can begin: line 2 → tw-x → line 2; take one `after:` away',
  );
});

test('two open beads of one title are not guessed between', async () => {
  const ledger = new MemoryLedger();
  await put(
    ledger,
    bead('tw-1', { title: 'a', rig: 'shop' }),
    bead('tw-2', { title: 'A', rig: 'shop', createdAt: '2026-12-01T00:00:00Z' }),
  );
  expect(await mistakesOf('- [ ] a', ledger)).toEqual([
    '1: "a" is the title of tw-1 and of tw-2; close one of them, or rename it',
  ]);
});

test('a title with commas, quotes or a number is found', async () => {
  const ledger = new MemoryLedger();
  await laid(
    ledger,
    '- [ ] write, then test\n- [ ] 7\n- [ ] say "hi"\n- [ ] d\n  after: "write, then test", 7, say "hi"\n- [ ] e after: write, then test\n',
  );
  expect((await shape(ledger)).map(([title, , , after]) => [title, after])).toContainEqual([
    'd',
    ['write, then test', '7', 'say "hi"'],
  ]);
  expect((await shape(ledger)).map(([title, , , after]) => [title, after])).toContainEqual(['e', ['write, then test']]);
});
