/** Wisps that were closed long ago are lines of a digest; what is needed stays. */
import { expect, test } from 'vitest';
import { PATROL } from '../../machines/patrols/policy.ts';
import { compactionRound } from '../../src/patrols/deacon/compaction.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { every } from '../ledger/any-bead.ts';
import { PATROL_HANDS } from '../../src/patrols/policy.ts';
import { LEDGER } from '../../state/ledger/policy.ts';

const DAY = 24 * 60 * 60_000;
const at = (days: number): string => new Date(days * DAY).toISOString();
const wisp = (id: string, closed: number | null, more: object = {}) =>
  bead(id, {
    isWisp: true,
    createdAt: at(0),
    updatedAt: at(0),
    ...more,
    ...(closed !== null && { status: 'closed', closedAt: at(closed), closeReason: 'clean, nuked' }),
  });

// Rules: P-16.
test('a week after they were closed they are one bead with a line for each, once', async () => {
  const ledger = new MemoryLedger();
  const all = [
    wisp('tw-wisp-old', 1),
    wisp('tw-wisp-older', 0.5),
    wisp('tw-wisp-young', 5),
    wisp('tw-wisp-open', null),
    wisp('tw-gate-overdue', 1, { metadata: { related_bead: 'tw-gate' } }),
    bead('tw-gate', { type: 'gate', createdAt: at(0), updatedAt: at(0) }),
    bead('tw-work', { status: 'closed', createdAt: at(0), updatedAt: at(0), closedAt: at(0) }),
  ];
  for (const one of all) await ledger.put(one, { expects: 0, write: `w-${one.id}` });
  const settings = { patrols: { patrol: PATROL } };
  let memory: readonly string[] = [];
  const round = async (now: number) => {
    const found = await compactionRound({ ledger, settings, memory }, now);
    memory = found.memory ?? memory;
    return found.acts;
  };
  const acts = await round(9 * DAY);
  expect(acts).toMatchObject([{ act: 'compact', about: '2 wisps', done: true }]);
  const left = (await ledger.beads(all.map(({ id }) => id))).map(({ id }) => id);
  expect(left).toEqual(['tw-wisp-young', 'tw-wisp-open', 'tw-gate-overdue', 'tw-gate', 'tw-work']);
  const [digest] = (await ledger.list({ labels: ['digest'], statuses: ['closed'] }, { limit: 5 })).items;
  expect(digest?.description.split('\n')).toHaveLength(2);
  // There is no other look within the hour, and then the next one is due.
  expect(await round(9 * DAY + 60_000)).toEqual([]);
  expect(await round(13 * DAY)).toMatchObject([{ about: '1 wisp' }]);
});

// Rules: P-16.
test('evidence of any author goes after a month, but the newest of each', async () => {
  const ledger = new MemoryLedger();
  const add = (author: string, id: string, days: number) =>
    ledger.addEvidence({ id, author, kind: 'note', text: '', at: Math.round(days * DAY) });
  const many = LEDGER.maxPage + 20;
  for (let n = 0; n < many; n += 1) await add('shop/nux', `nux-${String(n)}`, 1 + n / many);
  await add('shop/nux', 'young', 40);
  await add('gone', 'gone-1', 1);
  await add('gone', 'gone-2', 2);
  const settings = { patrols: { patrol: PATROL } };
  const found = await compactionRound({ ledger, settings, memory: [] }, 2 * DAY + PATROL_HANDS.evidenceMs + 1);
  expect(found).toEqual({ seen: 0, acts: [], memory: [expect.any(String)] });
  const left = async (author: string) => (await every((page) => ledger.evidence(author, page))).map(({ id }) => id);
  expect([await left('shop/nux'), await left('gone')]).toEqual([['young'], ['gone-2']]);
});
