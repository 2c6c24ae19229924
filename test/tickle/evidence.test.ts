/** The ledger's part of a look: whose records count, what an agent bead says, and what it costs among many. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { KEPT_MS } from '../../machines/tickle/policy.ts';
import { median } from '../bench/town.ts';
import { asAgent } from '../../src/ledger/doors.ts';
import { evidenceNow, hasBeads, writeEntries } from '../../src/tickle/evidence.ts';
import { FILES } from '../../state/files/layout.ts';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { freshFolder, whenOver } from '../world/over.ts';
import { MINUTE, SECOND } from './town.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const SIGNALS = { fromMs: 150 * SECOND, toMs: 600 * SECOND };
const among = (names: readonly string[], silentMs: number | null = null) => ({
  agents: names.map((name) => [name, silentMs] as const),
  signals: SIGNALS,
});
const look = (ledger: MemoryLedger, ...names: string[]) => evidenceNow(ledger, among(names), NOW);
const note = (author: string, agoMs: number, more: { id?: string; kind?: string; text?: string } = {}) => ({
  id: `${author}-${agoMs}`,
  author,
  kind: 'note',
  text: 'tests pass',
  at: NOW - agoMs,
  ...more,
});
const put = (ledger: MemoryLedger, id: string, more: Parameters<typeof bead>[1]) =>
  ledger.put(bead(id, more), { expects: 0, write: `make-${id}` });

test('a ledger holds work once a bead was in it, closed or not', async () => {
  const ledger = new MemoryLedger();
  await ledger.addEvidence(note('builder', MINUTE));
  expect(await hasBeads(ledger)).toBe(false);
  await put(ledger, 'gt-1', { status: 'closed' });
  expect(await hasBeads(ledger)).toBe(true);
});

// Rules: T-1.
describe('of each agent', () => {
  test('the newest record by that author counts, none of another, and a time to come is no silence', async () => {
    const ledger = new MemoryLedger();
    for (const one of [
      note('builder', 9 * MINUTE),
      note('builder', 2 * MINUTE),
      note('shop/witness', 1, { text: 'builder is at work' }),
      note('tickle', 2, { text: '{"agent":"builder"}' }),
      note('ahead', -60 * MINUTE),
    ])
      await ledger.addEvidence(one);
    expect(await look(ledger, 'builder', 'ahead', 'silent', 'tickle')).toMatchObject([
      { name: 'builder', lastAt: NOW - 2 * MINUTE, silentMs: 2 * MINUTE, sign: 'note', hook: null },
      { name: 'ahead', lastAt: NOW + 60 * MINUTE, silentMs: 0 },
      { name: 'silent', lastAt: null, silentMs: null, sign: null },
    ]);
  });

  test('an agent bead of the ledger is registered, and rests where its hook is empty', async () => {
    const ledger = new MemoryLedger();
    await put(ledger, 'tw-1', { type: 'agent', title: 'rests' });
    await put(ledger, 'tw-2', { type: 'agent', title: 'holds' });
    await put(ledger, 'tw-3', { labels: ['gt:agent'], title: 'hooked', description: 'role: x\nhook_bead: tw-9\n' });
    await put(ledger, 'tw-4', { labels: ['gt:agent'], title: 'unhooked', description: 'hook_bead: null\n' });
    await put(ledger, 'tw-5', { type: 'agent', title: 'gone', status: 'closed' });
    await put(ledger, 'tw-9', { assignee: 'holds', status: 'hooked' });
    const found = await look(ledger, 'builder');
    expect(Object.fromEntries(found.map(({ name, hook }) => [name, hook]))).toEqual({
      builder: null,
      rests: 'empty',
      holds: 'held',
      hooked: 'held',
      unhooked: 'empty',
    });
  });
});

// Rules: T-5, law 11.
describe('a signal', () => {
  const self = (name: string) => () => Promise.resolve({ address: name, session: name, life: 'u' });
  const signalled = async (
    by: 'itself' | 'another',
    text: string,
    agoMs = 4 * MINUTE,
    signMs: number | null = null,
  ) => {
    const ledger = new MemoryLedger();
    const writes = by === 'itself' ? asAgent(ledger, self('builder')) : ledger;
    await writes.addEvidence(note('builder', agoMs, { id: 's', kind: 'signal', text }));
    return (await evidenceNow(ledger, among(['builder'], signMs), NOW))[0]?.signals;
  };
  test.each([
    ['{"fatigue":0.8}', { fatigue: 0.8, confidence: null }],
    ['{"fatigue":"much","confidence":1}', { fatigue: null, confidence: 1 }],
    ['{"fatigue":1e999}', { fatigue: null, confidence: null }],
    ['tired', null],
    ['null', null],
    ['[]', { fatigue: null, confidence: null }],
  ])('%s', async (text, means) => {
    expect(await signalled('itself', text)).toEqual(means);
  });
  test('in its name by another is none', async () => {
    expect(await signalled('another', '{"fatigue":1}')).toBeNull();
  });
  test('is looked up only where it decides, by the newest sign of any kind', async () => {
    expect(await signalled('itself', '{"fatigue":1}', MINUTE)).toBeNull();
    expect(await signalled('itself', '{"fatigue":1}', 20 * MINUTE)).toBeNull();
    // It worked on after its record, and rests for four minutes.
    expect(await signalled('itself', '{"fatigue":1}', 20 * MINUTE, 4 * MINUTE)).toEqual({
      fatigue: 1,
      confidence: null,
    });
    expect(await signalled('itself', '{"fatigue":1}', 4 * MINUTE, MINUTE)).toBeNull();
  });
});

// Rules: T-3.
test('what is written twice is there once, with times that a person reads', async () => {
  const ledger = new MemoryLedger();
  const entry = { id: 'tickle/scan/1/1', tag: 'scan', at: NOW, body: `{"last_active":${NOW},"silent_s":3}` } as const;
  expect(await writeEntries(ledger, [entry])).toEqual([entry.id]);
  expect(await writeEntries(ledger, [entry])).toEqual([entry.id]);
  const { items } = await ledger.evidence('tickle', { limit: 10 });
  expect(items).toEqual([
    {
      id: entry.id,
      author: 'tickle',
      kind: 'scan',
      text: '{"last_active":"2026-11-22T12:00:00.000Z","silent_s":3}',
      at: NOW,
    },
  ]);
});

test('what the watch wrote a month ago goes, and nothing of another author', async () => {
  const ledger = new MemoryLedger();
  const old = { author: 'tickle', kind: 'scan', text: '{}', at: NOW - KEPT_MS - 1 };
  await ledger.addEvidence({ ...old, id: 'old' });
  await ledger.addEvidence({ ...old, id: 'of-builder', author: 'builder' });
  await ledger.addEvidence({ ...old, id: 'young', at: NOW - KEPT_MS });
  // Under a clock that is a year ahead.
  await writeEntries(ledger, [{ id: 'ahead', tag: 'scan', at: NOW + 12 * KEPT_MS, body: '{}' }]);
  expect((await ledger.evidence('tickle', { limit: 10 })).items).toHaveLength(3);
  await writeEntries(ledger, [{ id: 'now', tag: 'scan', at: NOW, body: '{}' }]);
  const { items } = await ledger.evidence('tickle', { limit: 10 });
  expect(items.map(({ id }) => id)).toEqual(['ahead', 'now', 'young']);
  expect(await ledger.newestEvidence('builder')).toMatchObject({ id: 'of-builder' });
});

/** A look at a hundred agents, in a ledger with so many records of theirs; the median of some, in CPU ms. */
async function costOf(records: number): Promise<number> {
  const AGENTS = 100;
  const root = freshFolder();
  const ledger = openLedger({ root, wall: Date.now });
  whenOver(() => ledger.close());
  await ledger.addEvidence(note('first', 0));
  const database = new DatabaseSync(join(root, FILES.ledger));
  const [add, newest] = ['INSERT INTO evidence VALUES (?, ?, ?, ?)', 'INSERT OR REPLACE INTO newest VALUES (?, ?, ?)'];
  const [intoAll, intoNewest] = [database.prepare(add), database.prepare(newest)];
  database.exec('BEGIN');
  for (let n = 0; n < records; n += 1) {
    const one = note(`agent-${n % AGENTS}`, (records - n) * 10, { id: `e-${n}` });
    intoAll.run(one.id, one.author, one.at, JSON.stringify(one));
    intoNewest.run(one.author, one.at, one.id);
  }
  database.exec('COMMIT');
  database.close();
  const names = Array.from({ length: AGENTS }, (_, n) => `agent-${n}`);
  const took: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const began = process.cpuUsage();
    expect(await evidenceNow(ledger, among(names), NOW)).toHaveLength(AGENTS);
    const { user, system } = process.cpuUsage(began);
    took.push((user + system) / 1_000);
  }
  return median(took);
}

// Rules: T-1.
test('a hundred times the records cost a look no more than twice', async () => {
  const [few, many] = [await costOf(1_000), await costOf(100_000)];
  expect(many).toBeLessThan(2 * few + 2);
});
