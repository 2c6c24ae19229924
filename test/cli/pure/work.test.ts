/** How `town report` judges a piece of work: by facts of the ledger, the journal and git, never by words of others. */
import { describe, expect, test } from 'vitest';
import { NOT_OFFICIAL, type Bead } from '../../../machines/ledger/bead.ts';
import { close } from '../../../machines/ledger/changes.ts';
import type { TriageCase } from '../../../machines/triage/cases.ts';
import { workOf, type WorkSeen } from '../../../src/cli/story/work.ts';
import { countsOf, workSections, workSentence } from '../../../src/cli/story/work-text.ts';
import { FAILED, LAST_ATTEMPT, LAST_FAILURE } from '../../../src/ledger/attempts.ts';
import { bead } from '../../ledger/beads.ts';

const NOW = Date.parse('2026-01-02T08:00:00Z');
const COMMIT = 'a'.repeat(40);
const work = (id: string, more: Partial<Bead> = {}): Bead => bead(id, { rig: 'shop', ...more });
const seen = (more: Partial<WorkSeen>): WorkSeen => ({
  open: [],
  closed: [],
  waits: new Map(),
  gates: new Set(),
  cases: [],
  attempts: new Map(),
  tips: new Map(),
  rigs: new Set(['shop']),
  lost: new Map(),
  kept: new Map(),
  requests: new Map(),
  waiting: new Map(),
  worked: [],
  alerts: [],
  questions: [],
  hasReasoner: false,
  now: NOW,
  ...more,
});
const CLOSED = { status: 'closed', closedAt: '2026-01-02T07:30:00Z', closeReason: 'merged' } as const;
const MERGED = { ...CLOSED, official: { ...NOT_OFFICIAL, merged: CLOSED.closedAt } } as const;
const DEED = { at: '2026-01-02T07:30:02Z', patrol: 'shop', act: 'close', about: 'tw-1', done: true, text: 'x' };
const HELD = { status: 'hooked', assignee: 'shop/polecats/nux' } as const;
const openCase = (more: Partial<TriageCase>): TriageCase => ({
  id: 'tw-triage-1',
  type: 'stuck_agent',
  agent: 'shop/polecats/nux',
  rig: 'shop',
  options: ['NUDGE'],
  state: 'open',
  context: 'it hangs\n\nThe end of its screen:\nxyz',
  snapshot: 'tw-1',
  createdAt: '2026-01-02T07:00:00Z',
  tries: 0,
  isPersons: false,
  wasTold: false,
  plan: null,
  resolution: null,
  outcome: '',
  unproven: null,
  ...more,
});

// Rules: R-4.
test.each<readonly [string, Partial<WorkSeen>, object]>([
  ['closed by its patrol', { closed: [work('tw-1', MERGED)] }, { outcome: 'merged' }],
  [
    'merged, while an earlier attempt left what main lacks on the remote',
    {
      closed: [work('tw-1', MERGED)],
      kept: new Map([['tw-1', [{ branch: 'polecat/nux', commit: COMMIT, isMerged: false, line: 'git push' }]]]),
    },
    {
      outcome: 'merged',
      why: 'main lacks what earlier attempts left on the remote, as fetched last: polecat/nux at aaaaaaaaaaaa',
      type: ['git push'],
    },
  ],
  [
    'merged, while the remote did not delete what an earlier attempt left',
    {
      closed: [work('tw-1', MERGED)],
      kept: new Map([['tw-1', [{ branch: 'polecat/nux', commit: COMMIT, isMerged: true, line: 'git push' }]]]),
    },
    {
      outcome: 'merged',
      why: 'main has it; the remote did not delete it, as fetched last: polecat/nux at aaaaaaaaaaaa',
      type: ['git push'],
    },
  ],
  ['closed by a word that says merged', { closed: [work('tw-1', CLOSED)] }, { outcome: 'closed', why: 'merged' }],
  ['closed by its patrol in an older town', { closed: [work('tw-1', CLOSED)], worked: [DEED] }, { outcome: 'merged' }],
  [
    'merged in an older town, opened again, and closed by a person',
    { closed: [work('tw-1', { ...CLOSED, closedAt: '2026-01-02T07:40:00Z' })], worked: [DEED] },
    { outcome: 'closed', why: 'merged' },
  ],
  [
    'merged, and closed once more by a person',
    { closed: [close(work('tw-1', MERGED), 'seen', '2026-01-02T07:40:00Z')] },
    { outcome: 'merged' },
  ],
  [
    'merged, opened again, and closed by a person',
    { closed: [work('tw-1', { ...MERGED, closedAt: '2026-01-02T07:40:00Z' })] },
    { outcome: 'closed', why: 'merged' },
  ],
  ...(
    [
      ['later, so that they are kept', 1_000, { outcome: 'kept', why: 'merged', type: ['town bead reopen tw-1'] }],
      ['before, to be merged', -1_000, { outcome: 'closed' }],
    ] as const
  ).map(([when, ms, item]): readonly [string, Partial<WorkSeen>, object] => {
    const handed = { handed: COMMIT, handedAt: Date.parse(CLOSED.closedAt) + ms };
    const attempts = new Map([['tw-1', { polecat: 'nux', branch: 'b', count: 1, firstAt: 1, ...handed }]]);
    return [
      `closed by a person, while its agent handed its commits over ${when}`,
      { closed: [work('tw-1', CLOSED)], attempts },
      item,
    ];
  }),
  [
    'out of attempts',
    { open: [work('tw-1', { status: 'blocked', labels: [FAILED], metadata: { [LAST_FAILURE]: 'not ok 3' } })] },
    { outcome: 'failed', why: 'not ok 3', type: ['town why tw-1', 'town deacon redispatch tw-1'] },
  ],
  ['called failed by a label alone', { open: [work('tw-1', { labels: [FAILED] })] }, { outcome: 'not_begun' }],
  ['on a hook', { open: [work('tw-1', HELD)] }, { outcome: 'under_way' }],
  [
    'set aside by its polecat',
    { open: [work('tw-1', { ...HELD, status: 'blocked', official: { ...NOT_OFFICIAL, aside: HELD.assignee } })] },
    { outcome: 'under_way', why: 'it is blocked' },
  ],
  [
    'set aside by a person',
    { open: [work('tw-1', { ...HELD, status: 'blocked' })] },
    { outcome: 'not_begun', why: 'blocked' },
  ],
  ['with the refinery', { open: [work('tw-1', { ...HELD, assignee: 'shop/refinery' })] }, { outcome: 'to_merge' }],
  [
    'reopened, and assigned to the refinery by hand',
    { open: [work('tw-1', { assignee: 'shop/refinery' })] },
    { outcome: 'not_begun', why: 'assigned to shop/refinery', type: ['town bead update tw-1 --assignee ""'] },
  ],
  ['taken back', { open: [work('tw-1', { attempts: 1 })] }, { outcome: 'under_way' }],
  [
    'of an agent that asks',
    {
      open: [work('tw-1', HELD)],
      alerts: [
        {
          episode: 'e',
          severity: 'medium',
          session: 'gt-shop-nux',
          text: 'it asks',
          since: '',
          acked: false,
          type: ['town x'],
        },
      ],
    },
    { outcome: 'waits', why: 'it asks', type: ['town x'] },
  ],
  [
    'of an agent with news',
    {
      open: [work('tw-1', HELD)],
      alerts: [
        { episode: 'e', severity: 'low', session: 'gt-shop-nux', text: 'x', since: '', acked: false, type: null },
      ],
    },
    { outcome: 'under_way' },
  ],
  ['in a case', { open: [work('tw-1', HELD)], cases: [openCase({})] }, { outcome: 'waits', why: 'it hangs' }],
  [
    'in a case of a reasoner',
    { open: [work('tw-1', HELD)], cases: [openCase({})], hasReasoner: true },
    { outcome: 'under_way' },
  ],
  [
    'in a case that a reasoner left to a person',
    { open: [work('tw-1', HELD)], cases: [openCase({ isPersons: true })], hasReasoner: true },
    { outcome: 'waits' },
  ],
  [
    'in a decided case',
    { open: [work('tw-1', HELD)], cases: [openCase({ state: 'resolved' })] },
    { outcome: 'under_way' },
  ],
  [
    'behind a gate of a person',
    { open: [work('tw-1')], waits: new Map([['tw-1', ['tw-g']]]), gates: new Set(['tw-g']) },
    { outcome: 'waits', type: ['town bead gate close tw-g'] },
  ],
  [
    'behind other work',
    { open: [work('tw-1')], waits: new Map([['tw-1', ['tw-2']]]) },
    { outcome: 'not_begun', waits_for: ['tw-2'] },
  ],
  [
    'for a rig that is not there',
    { open: [work('tw-1', { rig: 'shpo' })] },
    {
      outcome: 'not_begun',
      why: 'there is no rig shpo',
      type: ['town rig add shpo <path>', 'town bead update tw-1 --rig <rig>'],
    },
  ],
  ['of no rig', { open: [work('tw-1', { rig: '' })] }, { outcome: 'not_begun', why: 'it is of no rig' }],
  ['of no rig, in a town without any', { open: [work('tw-1', { rig: '' })], rigs: new Set() }, { why: '' }],
  ['for a rig whose record cannot be read', { open: [work('tw-1', { rig: 'shpo' })], rigs: null }, { why: '' }],
])('work that is %s', (_, more, item) => {
  expect(workOf(seen(more))).toMatchObject([{ bead: 'tw-1', ...item }]);
});

test('branch, commit, agent and time come from the witness and from git', () => {
  const begun = {
    polecat: 'nux',
    branch: 'polecat/nux',
    count: 2,
    firstAt: NOW - 3_600_000,
    handed: null,
    handedAt: null,
  };
  const attempts = new Map([['tw-1', begun]]);
  const tips = new Map([['shop polecat/nux', COMMIT]]);
  const item = { branch: 'polecat/nux', commit: COMMIT, agent: 'shop/nux', attempts: 2 };
  expect(workOf(seen({ open: [work('tw-1', HELD)], attempts, tips }))).toMatchObject([
    { ...item, elapsed_ms: 3_600_000 },
  ]);
  const merged = { closed: [work('tw-1', MERGED)], attempts, tips };
  expect(workOf(seen(merged))).toMatchObject([{ ...item, elapsed_ms: 1_800_000 }]);
  const [handed, seenLast] = ['d'.repeat(40), 'e'.repeat(40)];
  const known = work('tw-1', { ...MERGED, metadata: { branch_commit: seenLast } });
  expect(workOf(seen({ ...merged, closed: [known] }))).toMatchObject([{ ...item, commit: seenLast }]);
  const over = new Map([['tw-1', { ...begun, handed }]]);
  expect(workOf(seen({ closed: [known], attempts: over, tips }))).toMatchObject([{ ...item, commit: handed }]);
  const metadata = { [LAST_ATTEMPT]: '2026-01-02T07:10:00Z' };
  const failed = { open: [work('tw-1', { status: 'blocked', labels: [FAILED], metadata })], attempts, tips };
  expect(workOf(seen(failed))).toMatchObject([{ ...item, elapsed_ms: 600_000 }]);
});

describe('the page', () => {
  const open = [work('tw-1', HELD), bead('tw-w', { isWisp: true }), bead('tw-c', { type: 'convoy' })];
  const items = workOf(seen({ open, closed: [work('tw-2', MERGED)] }));

  test('counts work, and nothing that the town keeps for itself', () => {
    expect(workSentence(countsOf(items))).toBe('work: 1 merged, 1 under way');
    expect(workSentence(countsOf([]))).toBe('work: none');
  });

  test('names so many, counts the others, and cuts a long reason', () => {
    const why = 'not ok '.repeat(1_000);
    const many = Array.from({ length: 25 }, (_, n) =>
      work(`tw-${n}`, { status: 'blocked', labels: [FAILED], metadata: { [LAST_FAILURE]: why } }),
    );
    const { entries = [] } =
      workSections(workOf(seen({ open: many }))).find(({ heading }) => heading === 'failed') ?? {};
    expect(entries).toHaveLength(21);
    expect(entries.at(-1)).toEqual({ title: '… and 5 more', type: ['town report --json'] });
    expect(entries[0]?.why).toMatch(/^not ok .* …$/);
    expect(entries[0]?.why?.length).toBeLessThan(410);
  });
});
