/** Law 11: what an agent may change in the ledger: each verb of both fronts and an import, by whose bead it is. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newBead, NOT_OFFICIAL, type Bead, type Official } from '../../machines/ledger/bead.ts';
import { saveRun } from '../../state/triage/run.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import { issueOf } from '../../src/ledger/issue.ts';
import { Context } from '../../src/cli/context.ts';
import { tell } from '../../src/terminal/failure.ts';
import { run } from '../../src/cli/program.ts';
import { TestTown } from './town.ts';

let town: TestTown;
let ledger: SqliteLedger;
beforeAll(async () => {
  town = new TestTown();
  town.session('builder');
  town.session('other');
  const disk = await new Context({ root: town.root, json: false, rest: [] }).disk();
  const run = {
    id: 'r',
    startedAt: Date.now(),
    deadlineAt: Date.now() + 3_600_000,
    tokenHash: hashOf('token-of-triage'),
  };
  mkdirSync(join(town.root, 'triage'), { recursive: true });
  await saveRun(disk, { ...run, endedAt: null, cases: [], agents: ['builder'], maxCalls: 10_000 });
});
/** Each opening checks a small ledger whole: with the beads of thousands of tests in it, that would be half of their time. */
const TESTS_OF_A_LEDGER = 100;
let tests = 0;
beforeEach(async () => {
  tests += 1;
  if (tests % TESTS_OF_A_LEDGER !== 1) return;
  if (tests > 1) ledger.close();
  rmSync(join(town.root, 'ledger'), { recursive: true, force: true });
  ledger = openLedger({ root: town.root, wall: Date.now });
  await ledger.put(newBead({ ...BASE, id: 'tw-base' }), { expects: 0, write: 'base' });
});
afterAll(() => {
  ledger.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const AT = new Date(Date.now() - 3_600_000).toISOString();
const BASE = { title: 'work', createdBy: 'overseer', createdAt: AT };
const by = (name: string): Official => ({
  ...NOT_OFFICIAL,
  made: { by: name, via: name === 'overseer' ? 'operator' : 'agent', life: null, at: AT },
});

/** The exit code of the command line in this process, and the code of its error. */
async function as(token: string | undefined, words: readonly string[]): Promise<{ exit: number; code: string }> {
  vi.stubEnv('TOWN_TOKEN', token);
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true);
  try {
    return { exit: await run(new Context({ root: town.root, json: false, rest: words }), words), code: '' };
  } catch (error) {
    return tell(error);
  } finally {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}

let count = 0;
const put = async (more: Partial<Bead> = {}, official = by('overseer')): Promise<Bead> => {
  const id = `tw-${(count += 1)}`;
  const links = [{ on: 'tw-base', type: 'related', createdAt: AT, createdBy: 'overseer', extra: {} }];
  const bead = newBead({ ...BASE, id, dependencies: links, labels: ['old'], ...more });
  const stored = await ledger.put(bead, { expects: 0, write: id, official });
  return stored.bead!;
};
const now = async (id: string): Promise<Bead | null> => (await ledger.beads([id]))[0] ?? null;
const hooked = (assignee: string): Partial<Bead> => ({ status: 'hooked', assignee });

/** A line of an import that has the bead otherwise. */
function lineOf(bead: Bead, more: Record<string, unknown> = { title: 'mine now' }): string {
  const path = join(town.home, `${bead.id}.jsonl`);
  const issue = { ...issueOf(bead), updated_at: new Date().toISOString(), ...more };
  writeFileSync(path, `${JSON.stringify(issue)}\n`);
  return path;
}

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
const TAKES: Readonly<Record<string, (bead: Bead) => string[]>> = {
  'bead hook': ({ id }) => ['bead', 'hook', id, 'builder'],
  'bd update --claim': ({ id }) => ['bd', 'update', id, '--claim'],
  'bd update --status=hooked': ({ id }) => ['bd', 'update', id, '--status=hooked', '--assignee=builder'],
};
const REOPENS: typeof VERBS = {
  'bead reopen': ({ id }) => ['bead', 'reopen', id],
  'bd reopen': ({ id }) => ['bd', 'reopen', id],
};

const TOWNS: Readonly<Record<string, Partial<Bead>>> = {
  'a triage request': { type: 'triage_request', metadata: { triage_type: 'dirty_polecat' } },
  'a gate': { type: 'gate', extra: { await_type: 'human' } },
  'an escalation': { isWisp: true, wispType: 'escalation', labels: ['gt:escalation', 'severity:high'] },
  'a cleanup': { isWisp: true, wispType: 'patrol', labels: ['cleanup', 'polecat:nux', 'state:pending'] },
  'a swarm': { isWisp: true, labels: ['swarm', 'swarm_id:s'] },
  'an agent': { type: 'agent' },
  'an agent by its label': { labels: ['gt:agent'] },
  'a letter': { type: 'message', assignee: 'builder' },
  'a merge request': { type: 'merge-request' },
};

type Whose = readonly [name: string, more: Partial<Bead>, official: Official];
const OWN: readonly Whose[] = [
  ['on its own hook', hooked('builder'), by('overseer')],
  ['in progress by it', { status: 'in_progress', assignee: 'builder' }, by('other')],
  ['that it made', {}, by('builder')],
];
/** It may take these, and change nothing else of them. */
const FREE: readonly Whose[] = [
  ['that is free', {}, by('overseer')],
  ['that another agent made', {}, by('other')],
  ['that says it made it, on no record', { createdBy: 'builder', owner: 'builder' }, NOT_OFFICIAL],
  ['that is assigned to it and begun by nobody', { assignee: 'builder' }, by('overseer')],
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
const ALSO = ['free', 'closed'];

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
  test.each(cells([['that it made', CLOSED, by('builder')]], REOPENS))(
    '%s of a closed bead %s: yes',
    async (_, _w, make, words) => {
      const bead = await make();
      expect((await as('token-of-builder', words(bead))).exit).toBe(0);
      expect(await now(bead.id)).toMatchObject({ status: 'open' });
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
  test.each(cells([...OWN, ...OTHERS], { ...VERBS, ...REOPENS }))(
    '%s of a bead %s: yes',
    async (_, _whose, make, words) => {
      const { exit, code } = await as(undefined, words(await make()));
      expect(exit === 0 || ALSO.includes(code)).toBe(true);
    },
  );
});

describe('a run of triage', () => {
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

/** What the town keeps for itself. */
const KEPT: Readonly<Record<string, Partial<Bead>>> = {
  ...TOWNS,
  ...Object.fromEntries(
    [
      'triage:stuck_agent',
      'gt:message',
      'tracks:tw-1',
      'failed',
      'acked',
      'told:person',
      'about:shop/x',
      'agent:other',
    ].map((label) => [`the label ${label}`, { labels: [label] }]),
  ),
  ...Object.fromEntries(
    [
      'resolution',
      'resolved_by',
      'agent_bead_id',
      'branch',
      'branch_commit',
      'rest_until',
      'last_attempt_at',
      'ends_with',
      'severity',
      'tries',
    ].map((key) => [`the metadata ${key}`, { metadata: { [key]: 'x' } }]),
  ),
};

describe('what the town keeps is no agent’s to write', () => {
  const flags = (
    { type, labels = [], metadata = {}, wispType }: Partial<Bead>,
    of: 'create' | 'update' | 'bd create' | 'bd update',
  ): string[] => [
    ...(type === undefined ? [] : ['--type', type]),
    ...labels.flatMap((label) => [
      { create: '--label', update: '--add-label', 'bd create': '--labels', 'bd update': '--add-label' }[of],
      label,
    ]),
    ...Object.entries(metadata).flatMap(([key, value]) =>
      of === 'bd create'
        ? []
        : [{ create: '--metadata', update: '--metadata', 'bd update': '--set-metadata' }[of], `${key}=${value}`],
    ),
    ...(wispType === undefined || !of.endsWith('create')
      ? []
      : of === 'create'
        ? ['--wisp', wispType]
        : ['--wisp-type', wispType]),
  ];
  const all = async (): Promise<number> => (await Array.fromAsync(ids())).length;
  async function* ids() {
    for (let after: string | null | undefined; after !== null;) {
      const page = await ledger.list({}, { limit: 500, ...(after !== undefined && { after }) });
      yield* page.items;
      after = page.next;
    }
  }

  test.each(Object.entries(KEPT))('%s', async (_, more) => {
    const made = await all();
    const news: string[][] = [
      ['bead', 'create', 'x', ...flags(more, 'create')],
      ...(more.metadata === undefined || more.type !== undefined
        ? [['bd', 'create', 'x', ...flags(more, 'bd create')]]
        : []),
      [
        'bead',
        'import',
        lineOf(
          newBead({
            ...BASE,
            createdBy: 'builder',
            createdAt: new Date().toISOString(),
            id: `tw-new-${(count += 1)}`,
            ...more,
            assignee: '',
          }),
        ),
      ],
    ];
    for (const words of news) expect([words, (await as('token-of-builder', words)).exit]).toEqual([words, 5]);
    expect(await all()).toBe(made);
    for (const whose of [hooked('builder'), {}]) {
      const own = await put(whose, by('builder'));
      const changed: string[][] = [
        ['bead', 'update', own.id, ...flags(more, 'update')],
        ['bd', 'update', own.id, ...flags(more, 'bd update')],
        ['bead', 'import', lineOf({ ...own, ...more, assignee: own.assignee })],
        ...(more.labels ?? []).map((label) => ['bd', 'label', 'add', own.id, label]),
        ...(more.labels === undefined ? [] : [['bd', 'update', own.id, '--set-labels', more.labels.join(',')]]),
      ];
      for (const words of changed) {
        if (words.length === 3 && words[1] === 'update') continue; // A bead of this kind has no flag of its own there.
        expect([words, (await as('token-of-builder', words)).exit]).toEqual([words, 5]);
      }
      expect(await now(own.id)).toEqual(own);
    }
  });

  test('nor to take away from its own work', async () => {
    const own = await put({
      ...hooked('builder'),
      labels: ['failed'],
      metadata: { branch: 'b', rest_until: AT },
      attempts: 2,
    });
    for (const words of [
      ['bead', 'update', own.id, '--remove-label', 'failed'],
      ['bead', 'update', own.id, '--unset', 'branch'],
      ['bd', 'update', own.id, '--unset-metadata', 'rest_until'],
      ['bd', 'label', 'remove', own.id, 'failed'],
      ['bead', 'import', lineOf(own, { labels: [] })],
    ])
      expect([words, (await as('token-of-builder', words)).exit]).toEqual([words, 5]);
    expect(await now(own.id)).toEqual(own);
    // An import leaves attempts as they stand, whoever it is for.
    expect((await as('token-of-builder', ['bead', 'import', lineOf(own, { attempts: 0 })])).exit).toBe(0);
    expect(await now(own.id)).toMatchObject({ attempts: 2 });
  });

  test.each(['convoy', 'molecule', 'queue', 'slot'])(
    'work on its hook becomes no %s, which the town gives out no more',
    async (type) => {
      const own = await put(hooked('builder'));
      for (const words of [
        ['bead', 'import', lineOf(own, { issue_type: type })],
        ['bd', 'update', own.id, '--type', type],
      ])
        expect([words, (await as('token-of-builder', words)).exit]).toEqual([words, 5]);
      expect(await now(own.id)).toEqual(own);
      expect((await as('token-of-builder', ['bd', 'update', own.id, '--type', 'bug'])).exit).toBe(0);
    },
  );

  test.each<[string, Record<string, unknown>]>([
    ['another author', { created_by: 'overseer' }],
    ['another owner', { owner: 'overseer' }],
    ['a birth of long ago', { created_at: '2020-01-01T00:00:00Z' }],
    ['a change of tomorrow', { updated_at: new Date(Date.now() + 86_400_000).toISOString() }],
    ['an end of long ago', { status: 'closed', closed_at: '2020-01-01T00:00:00Z' }],
    ['attempts', { attempts: 3 }],
    ['an id of triage', { id: 'tw-triage-0123456789' }],
    ['an id of an overdue gate', { id: 'tw-1-overdue' }],
    ['an id that a patrol derives for an alert', { id: 'tw-wisp-7483857c' }],
    ['the hook of another', { status: 'hooked', assignee: 'other' }],
    [
      'a comment of another',
      { comments: [{ id: 'c1', author: 'overseer', text: 'merge it', created_at: new Date().toISOString() }] },
    ],
    [
      'a link of another',
      { dependencies: [{ issue_id: 'x', depends_on_id: 'tw-base', type: 'blocks', created_by: 'overseer' }] },
    ],
    ['what it tracks', { dependencies: [{ issue_id: 'x', depends_on_id: 'tw-base', type: 'tracks' }] }],
  ])('an import makes nothing with %s', async (_, more) => {
    const at = new Date().toISOString();
    const fresh = newBead({ ...BASE, createdBy: 'builder', createdAt: at, id: `tw-i${(count += 1)}` });
    expect((await as('token-of-builder', ['bead', 'import', lineOf(fresh, more)])).exit).toBe(5);
    if (more['comments'] === undefined)
      expect(await now(typeof more['id'] === 'string' ? more['id'] : fresh.id)).toBeNull();
    expect((await ledger.comments(fresh.id, { limit: 5 })).items).toEqual([]);
  });

  test('an import makes what names neither author nor time, and it is on record as the agent’s', async () => {
    const path = join(town.home, 'plain.jsonl');
    writeFileSync(path, '{"id":"tw-plain","title":"a plan"}\n');
    expect((await as('token-of-builder', ['bead', 'import', path])).exit).toBe(0);
    expect((await now('tw-plain'))?.official.made).toMatchObject({ by: 'builder', via: 'agent' });
    expect((await as('token-of-builder', ['bead', 'close', 'tw-plain'])).exit).toBe(0);
  });

  test.each([
    ['gate create', ['bead', 'gate', 'create', 'x', '--type', 'human', '--blocks', 'tw-base']],
    ['bd create with an id of triage', ['bd', 'create', 'x', '--id', 'tw-triage-0123456789']],
    ['bd create with an id of an alert', ['bd', 'create', 'x', '--id', 'tw-wisp-7483857c']],
    ['bead create with an id of an alert', ['bead', 'create', 'x', '--prefix', 'tw-wisp-x']],
    ['bd create that others wait for', ['bd', 'create', 'x', '--deps', 'blocks:tw-base']],
    ['evidence of tomorrow', ['evidence', 'add', 'x', '--at', new Date(Date.now() + 86_400_000).toISOString()]],
  ])('%s', async (_, words) => {
    expect((await as('token-of-builder', words)).exit).toBe(5);
    expect((await now('tw-base'))?.dependencies).toEqual([]);
  });

  // Rules: law 11.
  test('a wisp with the id that is drawn for it is its to make', async () => {
    const { items: before } = await ledger.list({ isWisp: true }, { limit: 500 });
    expect((await as('token-of-builder', ['bd', 'create', 'x', '--wisp'])).exit).toBe(0);
    expect((await ledger.list({ isWisp: true }, { limit: 500 })).items).toHaveLength(before.length + 1);
  });

  test('an intent to be done is its own to say, of its own work, and not of tomorrow', async () => {
    const own = await put(hooked('builder'));
    const intent = (ms: number): string => `done-intent:x:${String(Math.floor(ms / 1_000))}`;
    expect((await as('token-of-builder', ['bead', 'update', own.id, '--add-label', intent(Date.now())])).exit).toBe(0);
    expect(
      (await as('token-of-builder', ['bead', 'update', own.id, '--add-label', intent(Date.now() + 86_400_000)])).exit,
    ).toBe(5);
  });

  test('an escalation is raised by each agent, and rests by the operator, the mayor and its author alone', async () => {
    expect((await as('token-of-builder', ['escalate', 'help', '-s', 'low'])).exit).toBe(0);
    const [own] = (await ledger.list({ labels: ['severity:low'] }, { limit: 1 })).items;
    expect((await as('token-of-other', ['ack', own!.id])).exit).toBe(5);
    expect((await now(own!.id))?.labels).not.toContain('acked');
    expect((await as('token-of-builder', ['ack', own!.id])).exit).toBe(0);
  });

  // Rules: law 11.
  test.each(['convoy', 'molecule'])(
    'a %s of the operator’s is taken onto no hook, where it could be closed',
    async (type) => {
      const bead = await put({ type });
      for (const words of Object.values(TAKES)) expect((await as('token-of-builder', words(bead))).exit).toBe(5);
      expect((await as('token-of-builder', ['bead', 'close', bead.id, '--force'])).exit).toBe(5);
      expect(await now(bead.id)).toEqual(bead);
    },
  );

  // Rules: law 11.
  test('evidence of an agent takes no id that the town remembers something under', async () => {
    const id = 'end-0b1c';
    expect((await as('token-of-builder', ['evidence', 'add', 'x', '--id', id])).exit).toBe(0);
    expect((await as('token-of-builder', ['evidence', 'add', 'x', '--id', id, '--kind', 'other'])).exit).toBe(5);
    const town = { id, author: 'shop/witness/end/x', kind: 'end', text: '0b1c', at: Date.now() };
    expect(await ledger.addEvidence(town)).toBe('stored');
    expect((await ledger.newestEvidence('shop/witness/end/x'))?.text).toBe('0b1c');
  });

  test('a convoy is made by each agent, and changed by its maker and the operator alone', async () => {
    for (const kind of ['convoy', 'swarm'] as const) {
      expect((await as('token-of-builder', [kind, 'create', `s${count}`, 'tw-base'])).exit).toBe(0);
      const [one] = (await ledger.list({ type: 'convoy' }, { limit: 1 })).items;
      for (const words of [
        [kind, 'add', one!.id, 'tw-plain'],
        [kind, 'close', one!.id, '--force'],
      ]) {
        expect((await as('token-of-other', words)).exit).toBe(5);
        expect(await now(one!.id)).toEqual(one);
      }
      expect((await as('token-of-builder', [kind, 'close', one!.id, '--force'])).exit).toBe(0);
    }
  });
});
