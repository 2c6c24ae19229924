/** Law 11: what an agent may change in the ledger: each verb of both fronts and an import, by whose bead it is. */
import { describe, expect, test } from 'vitest';
import { NOT_OFFICIAL, type Bead, type Official } from '../../machines/ledger/bead.ts';
import { AT, TAKES, TOWNS, as, by, clearHook, hooked, lineOf, now, put, useLedger } from './authority.ts';

useLedger();

const VERBS: Readonly<Record<string, (bead: Bead) => string[]>> = {
  'bead update --title': ({ id }) => ['bead', 'update', id, '--title', 'mine now'],
  'bead update --description': ({ id }) => ['bead', 'update', id, '--description', 'touch x'],
  'bead update --status': ({ id }) => ['bead', 'update', id, '--status', 'blocked'],
  'bead update --priority': ({ id }) => ['bead', 'update', id, '--priority', '0'],
  'bead update --add-label': ({ id }) => ['bead', 'update', id, '--add-label', 'x'],
  'bead update --remove-label': ({ id }) => ['bead', 'update', id, '--remove-label', 'old'],
  'bead update --metadata': ({ id }) => ['bead', 'update', id, '--metadata', 'a=b'],
  'bead close': ({ id }) => ['bead', 'close', id],
  'bead close --force': ({ id }) => ['bead', 'close', id, '--force'],
  'bead unhook': ({ id }) => ['bead', 'unhook', id],
  'bead dep add': ({ id }) => ['bead', 'dep', 'add', id, 'tw-base'],
  'bead dep remove': ({ id }) => ['bead', 'dep', 'remove', id, 'tw-base'],
  'bead import': (bead) => ['bead', 'import', lineOf(bead)],
  'bd update --title': ({ id }) => ['bd', 'update', id, '--title', 'mine now'],
  'bd update --notes': ({ id }) => ['bd', 'update', id, '--notes', 'touch x'],
  'bd update --status': ({ id }) => ['bd', 'update', id, '--status=open', '--assignee='],
  'bd update --set-metadata': ({ id }) => ['bd', 'update', id, '--set-metadata', 'a=b'],
  'bd update --set-labels': ({ id }) => ['bd', 'update', id, '--set-labels', 'x'],
  'bd close': ({ id }) => ['bd', 'close', id],
  'bd close --force': ({ id }) => ['bd', 'close', id, '--force'],
  'bd dep add': ({ id }) => ['bd', 'dep', 'add', id, 'tw-base'],
  'bd dep remove': ({ id }) => ['bd', 'dep', 'remove', id, 'tw-base'],
  'bd label add': ({ id }) => ['bd', 'label', 'add', id, 'x'],
  'bd label remove': ({ id }) => ['bd', 'label', 'remove', id, 'old'],
};

const REOPENS: typeof VERBS = {
  'bead reopen': ({ id }) => ['bead', 'reopen', id],
  'bd reopen': ({ id }) => ['bd', 'reopen', id],
};

type Whose = readonly [name: string, more: Partial<Bead>, official: Official];
const OWN: readonly Whose[] = [
  ['on its own hook', hooked('builder'), by('overseer')],
  ['in progress by it', { status: 'in_progress', assignee: 'builder' }, by('other')],
  ['that it set aside', { status: 'blocked', assignee: 'builder' }, by('other')],
  ['that it made', {}, by('builder')],
];
/** It may take these, and change nothing else of them. */
const FREE: readonly Whose[] = [
  ['that is free', {}, by('overseer')],
  ['that another agent made', {}, by('other')],
  ['that says it made it, on no record', { createdBy: 'builder', owner: 'builder' }, NOT_OFFICIAL],
  ['that is assigned to it and not begun', { assignee: 'builder' }, by('overseer')],
];
const HELD: readonly Whose[] = [
  ['assigned to another', { assignee: 'other' }, by('overseer')],
  ['on the hook of another', hooked('other'), by('overseer')],
  ['that it made, on the hook of another', hooked('other'), by('builder')],
  ...Object.entries(TOWNS).map(([name, more]): Whose => [name, more, by('overseer')]),
  ...Object.entries(TOWNS).map(([name, more]): Whose => [`${name} that it made`, more, by('builder')]),
];
const TOWNS_HOOKED = Object.entries(TOWNS).map(([name, more]): Whose => [
  `${name} on its hook`,
  { ...more, ...hooked('builder') },
  by('overseer'),
]);
const OTHERS = [...FREE, ...HELD, ...TOWNS_HOOKED];
const cells = (
  whose: readonly Whose[],
  verbs: typeof VERBS,
): [string, string, () => Promise<Bead>, (bead: Bead) => string[]][] =>
  whose.flatMap(([name, more, official]) =>
    Object.entries(verbs).map(
      ([verb, words]) =>
        [verb, name, () => put(more, official), words] as [string, string, () => Promise<Bead>, typeof words],
    ),
  );

/** A refusal that has to do with the bead and not with the caller. */
const ALSO = ['free', 'closed', 'not_closed'];

describe('an agent', () => {
  // Rules: law 11.
  test.each(cells(OWN, VERBS))('%s of a bead %s: yes', async (_, _whose, make, words) => {
    const { exit, code } = await as('token-of-builder', words(await make()));
    expect(exit === 0 || ALSO.includes(code)).toBe(true);
  });

  // Rules: law 11.
  test.each([...cells(OTHERS, VERBS), ...cells(HELD, TAKES)])('%s of a bead %s: no', async (_, _whose, make, words) => {
    const bead = await make();
    const { exit, code } = await as('token-of-builder', words(bead));
    expect([exit, code]).not.toEqual([0, '']);
    expect(await now(bead.id)).toEqual(bead);
    const comment = await as('token-of-builder', ['bd', 'comments', 'add', bead.id, 'a word']);
    expect(comment.exit).toBe(0);
  });

  // Rules: law 11.
  test.each(cells(FREE, TAKES))('%s of a bead %s: yes', async (_, _whose, make, words) => {
    await clearHook('builder');
    const bead = await make();
    expect((await as('token-of-builder', words(bead))).exit).toBe(0);
    expect(await now(bead.id)).toMatchObject({ assignee: 'builder', title: 'work' });
  });

  test.each(
    cells(FREE, {
      hook: ({ id }) => ['bead', 'hook', id, 'other'],
      bd: ({ id }) => ['bd', 'update', id, '--status=hooked', '--assignee=other'],
    }),
  )('%s to another, of a bead %s: no', async (_, _whose, make, words) => {
    const bead = await make();
    expect((await as('token-of-builder', words(bead))).exit).toBe(5);
    expect(await now(bead.id)).toEqual(bead);
  });

  // Rules: law 11.
  test.each([
    ['blocked', ['--status', 'blocked', '--assignee', ''], 5, { status: 'hooked', assignee: 'builder' }],
    ['hooked', ['--status', 'hooked', '--assignee', ''], 5, { status: 'hooked', assignee: 'builder' }],
    ['given back', ['--assignee', ''], 0, { status: 'open', assignee: '' }],
    ['given back by its status', ['--status', 'open', '--assignee', ''], 0, { status: 'open', assignee: '' }],
  ])('leaves work on its hook to no agent only where the next may begin it: %s', async (_, words, exit, stands) => {
    const { id } = await put(hooked('builder'), by('overseer'));
    expect((await as('token-of-builder', ['bead', 'update', id, ...words])).exit).toBe(exit);
    expect(await now(id)).toMatchObject(stands);
  });
  test('takes no free work by setting it aside', async () => {
    const bead = await put({}, by('overseer'));
    const words = ['bead', 'update', bead.id, '--status', 'blocked', '--assignee', 'builder'];
    expect((await as('token-of-builder', words)).exit).toBe(5);
    expect(await now(bead.id)).toEqual(bead);
  });

  const CLOSED = { status: 'closed', closedAt: AT, assignee: 'builder' } as const;
  test.each([
    ...cells(
      [
        ['that another made', CLOSED, by('other')],
        ['of the operator', CLOSED, by('overseer')],
        ['a closed case', { ...CLOSED, ...TOWNS['a triage request'] }, by('overseer')],
      ],
      REOPENS,
    ),
  ])('%s of a closed bead %s: no', async (_, _whose, make, words) => {
    const bead = await make();
    expect((await as('token-of-builder', words(bead))).exit).toBe(5);
    expect(await now(bead.id)).toEqual(bead);
  });
  test.each(cells([['that it made', { ...CLOSED, attempts: 2 }, by('builder')]], REOPENS))(
    '%s of a closed bead %s: yes',
    async (_, _w, make, words) => {
      const bead = await make();
      expect((await as('token-of-builder', words(bead))).exit).toBe(0);
      expect(await now(bead.id)).toMatchObject({ status: 'open', attempts: 0 });
    },
  );

  test.each(Object.values(TOWNS))('squashes no wisp of the town: %j', async (more) => {
    for (const words of [
      ['bead', 'squash'],
      ['bd', 'mol', 'squash'],
    ]) {
      const bead = await put({ ...more, isWisp: true });
      expect((await as('token-of-builder', [...words, bead.id])).exit).toBe(5);
      expect(await now(bead.id)).toEqual(bead);
    }
  });
  test('squashes a wisp of its own', async () => {
    const bead = await put({ isWisp: true }, by('builder'));
    expect((await as('token-of-builder', ['bead', 'squash', bead.id])).exit).toBe(0);
    expect(await now(bead.id)).toBeNull();
  });
});

describe('the operator', () => {
  // Rules: law 11.
  test.each(cells([...OWN, ...OTHERS], VERBS))('%s of a bead %s: yes', async (_, _whose, make, words) => {
    const { exit, code } = await as(undefined, words(await make()));
    expect(exit === 0 || ALSO.includes(code)).toBe(true);
  });

  test.each(cells([...OWN, ...OTHERS], REOPENS))(
    '%s of a bead %s, which is not closed: it stays as it is',
    async (_, _whose, make, words) => {
      const bead = await make();
      const { id, status, assignee } = bead;
      const { exit } = await as(undefined, words(bead));
      expect([exit, status]).toEqual(status === 'open' ? [0, 'open'] : [expect.toBeOneOf([1, 5]), status]);
      expect(await now(id)).toMatchObject({ status, assignee });
    },
  );
  test.each(cells([['of another', { status: 'closed', closedAt: AT, assignee: 'other' }, by('other')]], REOPENS))(
    '%s of a closed bead %s: yes',
    async (_, _whose, make, words) => {
      const bead = await make();
      expect((await as(undefined, words(bead))).exit).toBe(0);
      expect(await now(bead.id)).toMatchObject({ status: 'open' });
    },
  );
});

describe('a run of triage', () => {
  // Rules: P-14.
  test.each([[['status']], [['bead', 'list', '--label', 'x']]])(
    'is refused by the name of the command: %j',
    async (words) => {
      const path = words.filter((_, at) => at < 2).join(' ');
      expect(await as('token-of-triage', words)).toMatchObject({
        exit: 5,
        lines: [expect.stringContaining(`town ${path} is not for a run of triage`)],
      });
    },
  );

  // Rules: law 11.
  test.each(
    cells([...OWN, ...FREE], {
      ...VERBS,
      ...TAKES,
      ...REOPENS,
      comment: ({ id }) => ['bd', 'comments', 'add', id, 'x'],
    }),
  )('%s of a bead %s: no', async (_, _whose, make, words) => {
    const bead = await make();
    expect((await as('token-of-triage', words(bead))).exit).not.toBe(0);
    expect(await now(bead.id)).toEqual(bead);
  });
});
