/** What becomes of beads: changes, what is ready, digests, and the JSON of `bd` without loss. In memory. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BEAD_STATUSES, blockersOf, NOT_OFFICIAL, type Bead, type Dependency } from '../../machines/ledger/bead.ts';
import { claim, close, holderOf, hook, reopen, unhook, withStatus } from '../../machines/ledger/changes.ts';
import { changeBead, createBead } from '../../src/ledger/change.ts';
import { beadFrom, issueOf } from '../../src/ledger/issue.ts';
import { squashWisps } from '../../src/ledger/squash.ts';
import { first, leadsTo, ready } from '../../src/ledger/walk.ts';
import { beadText, beadOf } from '../../state/ledger/schema.ts';
import { AT, bead } from './beads.ts';
import { MemoryLedger } from './memory.ts';

const LATER = '2026-11-22T20:00:00Z';
const link = (on: string, type = 'blocks'): Dependency => ({ on, type, createdAt: AT, createdBy: 'mayor', extra: {} });

async function ledgerOf(...beads: readonly Bead[]): Promise<MemoryLedger> {
  const ledger = new MemoryLedger();
  for (const one of beads) await ledger.put(one, { expects: 0, write: `w-${one.id}` });
  return ledger;
}
const readyIn = async (ledger: MemoryLedger) => (await first(ready(ledger, {}), 100)).map(({ id }) => id);

describe('a hook', () => {
  const other = (status: Bead['status'], assignee: string) => bead('b', { status, assignee });
  test.each([
    ['open', '', true],
    ['open', 'other', true],
    ['blocked', '', true],
    ['deferred', '', true],
    ['pinned', 'other', true],
    ['hooked', 'nux', true],
    ['hooked', 'other', false],
    ['in_progress', 'nux', true],
    ['in_progress', 'other', false],
    ['closed', '', false],
    ['closed', 'nux', false],
  ] as const)('of a bead that is %s by "%s": %s', (status, assignee, isFree) => {
    const made = hook(other(status, assignee), 'nux', LATER);
    expect(made.ok).toBe(isFree);
    if (made.ok) expect(made.bead).toMatchObject({ status: 'hooked', assignee: 'nux' });
  });

  test.each(BEAD_STATUSES)(
    'that is %s is held by its polecat and its refinery while they work or set it aside themselves',
    (status) => {
      const isHeld = status !== 'open' && status !== 'closed';
      const isAtWork = status === 'hooked' || status === 'in_progress';
      for (const agent of ['shop/polecats/nux', 'shop/refinery']) {
        const held = bead('b', { status, assignee: agent, rig: 'shop' });
        const official = { ...NOT_OFFICIAL, aside: agent };
        expect(holderOf({ ...held, official })).toBe(isHeld ? agent : null);
        expect(holderOf({ ...held, official: { ...official, aside: 'shop/polecats/ace' } })).toBe(
          isAtWork ? agent : null,
        );
        expect(holderOf(held)).toBe(isAtWork ? agent : null);
      }
      expect(holderOf(bead('b', { status, assignee: 'alice', rig: 'shop' }))).toBe(isAtWork ? 'alice' : null);
      expect(holderOf(bead('b', { status }))).toBeNull();
    },
  );

  test("is one agent's, in any order of requests", () => {
    const agents = fc.constantFrom('nux', 'slit', 'ace');
    const act = fc.tuple(fc.constantFrom('hook', 'unhook', 'claim', 'close', 'reopen'), agents);
    fc.assert(
      fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
        let one = bead('b');
        for (const [verb, agent] of acts) {
          const before = one;
          const holder = ['hooked', 'in_progress'].includes(one.status) ? one.assignee : '';
          const made = ({ hook, unhook, claim } as Record<string, typeof hook | undefined>)[verb]?.(one, agent, LATER);
          one =
            made?.ok === true
              ? made.bead
              : verb === 'close'
                ? close(one, 'done', LATER)
                : verb === 'reopen'
                  ? reopen(one, LATER)
                  : one;
          if (one.status === 'hooked' && one !== before)
            expect([agent, '']).toContain(holder === agent ? '' : holder === '' ? agent : 'taken');
          if (holder !== '' && one.assignee !== holder) expect([verb, agent]).toEqual(['unhook', holder]);
          expect(one.status === 'closed').toBe(one.closedAt !== '');
        }
      }),
    );
  });

  // Rules: P-8.
  test.each([
    ['shop/polecats/nux', ''],
    ['shop/nux', ''],
    ['shop/refinery', ''],
    ['barn/polecats/nux', ''],
    ['barn/refinery', 'barn/refinery'],
    ['max', 'max'],
    ['mayor', 'mayor'],
  ])('of %s that is reopened is open for "%s"', async (assignee, left) => {
    const ledger = await ledgerOf(bead('b', { rig: 'shop', status: 'closed', assignee }));
    await changeBead(ledger, 'b', (one) => reopen(one, LATER));
    expect((await ledger.beads(['b']))[0]).toMatchObject({ status: 'open', assignee: left });
    expect(await readyIn(ledger)).toEqual(['b']);
    const begun = bead('b', { rig: 'shop', status: 'in_progress', assignee });
    expect(withStatus(begun, 'open', LATER)).toMatchObject({ assignee: left });
    expect(withStatus(begun, 'blocked', LATER)).toMatchObject({ assignee });
  });

  test('keeps when work first began, and a reopened bead has no end', () => {
    const began = withStatus(bead('b'), 'in_progress', AT);
    const again = withStatus(close(began, 'done', LATER), 'in_progress', LATER);
    expect(again).toMatchObject({ startedAt: AT, closedAt: '', closeReason: '' });
  });

  // Rules: P-8.
  test('counts its attempts until it is over, and anew once it is opened again', () => {
    const tried = bead('b', { attempts: 2 });
    const over = close(withStatus(tried, 'open', AT), 'merged', LATER);
    expect([over.attempts, reopen(over, LATER).attempts]).toEqual([2, 0]);
  });
});

describe('what is ready', () => {
  test('waits for nothing open, itself or by what it is a part of; is work, and no wisp', async () => {
    const ledger = await ledgerOf(
      bead('free', { priority: 0 }),
      bead('blocker', { priority: 1 }),
      bead('waits', { dependencies: [link('blocker')] }),
      bead('was-blocked', { dependencies: [link('done')] }),
      bead('done', { status: 'closed' }),
      bead('waits-for-unknown', { dependencies: [link('gone')] }),
      bead('follows', { dependencies: [link('blocker', 'tracks')] }),
      bead('part', { dependencies: [link('waits', 'parent-child')] }),
      bead('gate', { type: 'gate' }),
      bead('wisp', { isWisp: true }),
      bead('taken', { status: 'hooked', assignee: 'nux' }),
    );
    expect(await readyIn(ledger)).toEqual(['free', 'blocker', 'follows', 'was-blocked']);
    await changeBead(ledger, 'blocker', (one) => close(one, 'done', LATER));
    expect((await readyIn(ledger)).sort()).toContain('part');
  });

  test('a circle of parents ends, and what waits for what is found through any number', async () => {
    const ledger = await ledgerOf(
      bead('a', { dependencies: [link('b', 'parent-child'), link('b')] }),
      bead('b', { dependencies: [link('a', 'parent-child'), link('c')] }),
      bead('c', { status: 'closed' }),
    );
    expect(await readyIn(ledger)).toEqual([]);
    const leads = (from: string, to: string) => leadsTo(ledger, [from, to], blockersOf);
    expect([await leads('a', 'c'), await leads('c', 'a')]).toEqual([true, false]);
  });
});

test('a change is decided anew on what others wrote meanwhile', async () => {
  const ledger = await ledgerOf(bead('b'));
  let asked = 0;
  const changed = await changeBead(ledger, 'b', (one) => {
    asked += 1;
    if (asked === 1) void ledger.put({ ...one, assignee: 'first' }, { expects: one.version, write: 'theirs' });
    return { ...one, labels: ['mine'] };
  });
  expect(asked).toBe(2);
  expect(changed).toMatchObject({ assignee: 'first', labels: ['mine'] });
  expect(await changeBead(ledger, 'gone', (one) => one)).toBeNull();
  expect(
    (await createBead(ledger, { title: 't', createdBy: 'x', createdAt: AT }, { prefix: 'tw', kind: 'cv' })).id,
  ).toMatch(/^tw-cv-[0-9a-z]{6}$/);
});

test('wisps become one digest, also when it was killed half way; what is permanent stays', async () => {
  const ledger = await ledgerOf(bead('w-1', { isWisp: true }), bead('w-2', { isWisp: true }), bead('b'));
  const wanted = { summary: undefined, by: 'mayor', at: LATER };
  expect(await squashWisps(ledger, ['w-1', 'b'], wanted)).toEqual({ ok: false, is: 'no wisp', id: 'b' });
  expect(await squashWisps(ledger, ['w-1', 'w-9'], wanted)).toEqual({ ok: false, is: 'missing', id: 'w-9' });
  const halfway: MemoryLedger = Object.create(ledger, {
    remove: { value: () => Promise.reject(new Error('killed')) },
  }) as MemoryLedger;
  await expect(squashWisps(Object.assign(halfway, {}), ['w-1', 'w-2'], wanted)).rejects.toThrow();
  const again = await squashWisps(ledger, ['w-2', 'w-1'], wanted);
  expect(again).toMatchObject({ ok: true, digest: { status: 'closed', labels: ['digest'] } });
  expect((await ledger.beads(['w-1', 'w-2', 'b'])).map(({ id }) => id)).toEqual(['b']);
});

// Rules: P-11, law 7.
test('a question that no answer came to is no digest, and one that was acknowledged or closed is', async () => {
  const wanted = { summary: undefined, by: 'overseer', at: LATER };
  const asks = (id: string, more: Partial<Bead> = {}) => bead(id, { isWisp: true, labels: ['gt:escalation'], ...more });
  const acked = asks('w-2', { labels: ['gt:escalation', 'acked'] });
  const ledger = await ledgerOf(asks('w-1'), acked, asks('w-3', { status: 'closed' }));
  const refused = await squashWisps(ledger, ['w-1', 'w-2', 'w-3'], wanted);
  expect(refused).toEqual({ ok: false, is: 'an open question', id: 'w-1' });
  expect(await ledger.beads(['w-1', 'w-2', 'w-3'])).toHaveLength(3);
  expect(await squashWisps(ledger, ['w-2', 'w-3'], wanted)).toMatchObject({ ok: true });
});

describe('the JSON of bd', () => {
  const key = fc.stringMatching(/^[a-z_]{1,8}$/).filter((one) => one !== '__proto__');
  const text = fc.string({ unit: 'binary', maxLength: 20 });
  const time = fc.constantFrom('2026-11-22T19:26:41.552413937Z', '2026-11-22T20:26:41+01:00', AT);
  const dependency = fc.record(
    {
      issue_id: fc.constant('tt-1'),
      depends_on_id: fc.constantFrom('tt-2', 'tt-3'),
      type: fc.constantFrom('blocks', 'x'),
      created_at: time,
      created_by: text,
      metadata: fc.constant('{}'),
    },
    { requiredKeys: ['issue_id', 'depends_on_id', 'type'] },
  );
  const known = fc.record(
    {
      id: fc.constant('tt-1'),
      title: text.map((one) => `x${one}`),
      status: fc.constantFrom(...BEAD_STATUSES),
      priority: fc.integer({ min: 0, max: 4 }),
      issue_type: fc.constantFrom('task', 'gate', 'custom'),
      created_at: time,
      updated_at: time,
      created_by: text.map((one) => `x${one}`),
      description: text,
      assignee: text,
      owner: text,
      started_at: time,
      closed_at: time,
      close_reason: text,
      labels: fc.uniqueArray(
        text.map((one) => `x${one}`),
        { maxLength: 3 },
      ),
      metadata: fc.dictionary(key, fc.oneof(text, fc.integer(), fc.constant({ deep: [1] }))),
      ephemeral: fc.boolean(),
      wisp_type: fc.constantFrom('', 'patrol'),
      dependencies: fc.array(dependency, { maxLength: 3 }),
      _type: fc.constant('issue'),
      attempts: fc.nat(),
      rig: text,
    },
    { requiredKeys: ['id', 'title', 'status', 'priority', 'issue_type', 'created_at', 'updated_at', 'created_by'] },
  );
  const foreign = fc.dictionary(
    key.map((one) => `z_${one}`),
    fc.jsonValue({ maxDepth: 2 }),
  );

  test('is read, kept and written again without loss', () => {
    fc.assert(
      fc.property(known, foreign, (one, more) => {
        const issue = JSON.parse(JSON.stringify({ ...more, ...one })) as Record<string, unknown>;
        fc.pre(!JSON.stringify(issue).includes('__proto__'));
        const stored = beadFrom(issue, 'importer', LATER);
        expect(issueOf(beadOf('tt-1', { json: beadText(stored), official: '', version: 1 }))).toEqual(issue);
      }),
    );
  });

  test('an own value stands before what came with the import', () => {
    const one = beadFrom(
      { id: 'tt-1', title: 't', description: '', metadata: { n: 1, s: 'x' }, ephemeral: false },
      'me',
      AT,
    );
    expect(issueOf(one)).toMatchObject({ description: '', metadata: { n: 1, s: 'x' }, ephemeral: false });
    const next = { ...one, description: 'now', isWisp: true, metadata: { s: 'y' } };
    expect(issueOf(next)).toMatchObject({ description: 'now', metadata: { n: 1, s: 'y' }, ephemeral: true });
  });

  test.each([
    ['a status of another program', { id: 'tt-1', title: 't', status: 'review' }],
    ['a memory', { _type: 'memory', key: 'k', value: 'v', more: [1] }],
  ])('%s is kept, not given out, and written again', (_what, issue) => {
    const one = beadFrom(issue, 'me', AT);
    expect(one.status).not.toBe('open');
    const kept = beadOf(one.id, { json: beadText(one), official: '', version: 1 });
    expect(issueOf(kept)).toMatchObject(issue);
  });

  test('a status of another program goes with the first change of status here', () => {
    const one = beadFrom({ id: 'tt-1', title: 't', status: 'review' }, 'me', AT);
    expect(issueOf({ ...one, status: 'closed' })).toMatchObject({ status: 'closed' });
  });

  test.each([
    [[], 'no JSON object'],
    [{ title: 'x' }, 'no id'],
    [{ _type: 'event', key: 'x' }, 'only issues and memories are beads'],
    [{ id: 'a', title: 'x', status: 7 }, 'is no text'],
    [{ id: 'a', title: 'x', dependencies: [{}] }, 'no depends_on_id'],
  ])('%j is refused: %s', (issue, why) => {
    expect(() => beadFrom(issue, 'me', AT)).toThrow(why);
  });
});
