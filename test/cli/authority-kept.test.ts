/** Law 11: what the town keeps for itself in the ledger, which no agent writes, makes or takes away. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import {
  AT,
  BASE,
  TAKES,
  TOWNS,
  as,
  by,
  freshId,
  hooked,
  ledger,
  lineOf,
  now,
  put,
  town,
  useLedger,
} from './authority.ts';

useLedger();

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
            id: freshId('tw-new-'),
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
    // An import leaves attempts as they stand, of any assignee.
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
    const fresh = newBead({ ...BASE, createdBy: 'builder', createdAt: at, id: freshId('tw-i') });
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
      expect((await as('token-of-builder', [kind, 'create', freshId('s'), 'tw-base'])).exit).toBe(0);
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
