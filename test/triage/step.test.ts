/** Triage within the Deacon's patrol: when a process is started for it, and that an empty queue starts none. */
import { expect, test } from 'vitest';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { TRIAGE, type TriagePolicy } from '../../machines/triage/policy.ts';
import { requestTriage } from '../../src/triage/requests.ts';
import { resolveCase } from '../../src/triage/resolve.ts';
import { triageStep, type TriageStep } from '../../src/triage/step.ts';
import { realDisk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import type { ReadRecords } from '../../state/rigs/records.ts';
import { saveRun } from '../../state/triage/run.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { freshFolder } from '../world/over.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

const NOTHING = { acts: [], wants: [], more: { model_calls: 0, needs_triage: 0 }, isActive: false } as const;

const NUX = { rig: 'shop', name: 'nux' } as PolecatRecord;

class Queue {
  readonly ledger = new MemoryLedger();
  readonly disk = realDisk(freshFolder(), 0);
  started = 0;
  polecats: ReadRecords<PolecatRecord> = { found: [NUX], unreadable: [] };

  async ask(agent = 'shop/polecats/nux'): Promise<string> {
    const about = { type: 'stuck_agent', agent, rig: 'shop', why: 'no progress', by: 'shop/witness' } as const;
    return (await requestTriage(this.ledger, { ...about, now: NOW, policy: TRIAGE })).id;
  }

  async step(more: Partial<TriagePolicy> = { reasoner: 'command' }, afterMs = 0): Promise<TriageStep> {
    const policy = { ...TRIAGE, ...more };
    const doing = () => Promise.resolve();
    const records = { polecats: () => Promise.resolve(this.polecats) };
    const needs = { ledger: this.ledger, disk: this.disk, policy, command: ['claude'], records, doing };
    const found = await triageStep(needs, NOW + afterMs);
    this.started += found.wants.filter(({ act }) => act === 'triage').length;
    return found;
  }
}

// Rules: P-18.
test('an empty queue starts nothing and asks no reasoner', async () => {
  const queue = new Queue();
  expect(await queue.step()).toEqual({ seen: 0, ...NOTHING });
  expect(queue.started).toBe(0);
});

test('an open case starts a run; without a reasoner a person is told; once told, nothing is started any more', async () => {
  const queue = new Queue();
  const id = await queue.ask();
  const says = 'the reasoner is asked about 1 (model call 1 of 24 a day)';
  expect(await queue.step()).toEqual({
    seen: 1,
    acts: [],
    wants: [{ act: 'triage', about: '1 open case', says }],
    more: { model_calls: 1, needs_triage: 1 },
    isActive: true,
  });
  expect(await queue.step({ reasoner: 'none' })).toEqual({
    seen: 1,
    ...NOTHING,
    acts: [{ act: 'tell', about: id, done: true, text: 'no reasoner is configured' }],
    more: { model_calls: 0, needs_triage: 1 },
  });
  expect(await queue.step()).toEqual({ seen: 1, ...NOTHING });
  expect(queue.started).toBe(1);
});

test.each<[string, readonly (readonly [agoMs: number, came: string])[], boolean]>([
  ['nothing ran yet', [], true],
  ['the last run was useful', [[MINUTE, 'useful']], true],
  ['the last run failed just now', [[MINUTE, 'failed']], false],
  ['the last run failed a while ago', [[5 * MINUTE, 'failed']], true],
  ['three runs in a row decided nothing', [2, 3, 4].map((n) => [n * MINUTE, 'useless'] as const), false],
  [
    'the budget of the day is spent',
    Array.from({ length: TRIAGE.maxRuns }, (_, n) => [n * MINUTE, 'useful'] as const),
    false,
  ],
])('the patrol keeps its pace for an open case where a reasoner may take it: %s', async (_, runs, isActive) => {
  const queue = new Queue();
  await queue.ask();
  for (const [nth, [agoMs, came]] of runs.entries()) {
    const [id, at] = [`run-${nth}`, NOW - agoMs];
    const note = (kind: string) =>
      queue.ledger.addEvidence({ id: `${id}-${kind}`, author: 'triage/run', kind, text: JSON.stringify({ id }), at });
    await note('run');
    await note(came);
  }
  expect(await queue.step()).toMatchObject({ isActive, more: { model_calls: isActive ? 1 : 0 } });
});

test('what was chosen keeps the pace for a while, and waits at the idle pace after that', async () => {
  const queue = new Queue();
  const id = await queue.ask();
  await resolveCase(queue.ledger, id, { choice: 'ESCALATE', note: '', by: 'triage', now: NOW, among: null });
  expect(await queue.step(undefined, 9 * MINUTE)).toMatchObject({ isActive: true });
  expect(await queue.step(undefined, 11 * MINUTE)).toMatchObject({ isActive: false });
});

test('while a run is under way none is started; one that was killed holds up until its time is over', async () => {
  const queue = new Queue();
  const id = await queue.ask();
  const run = { id: 'r', startedAt: NOW, deadlineAt: NOW + 10 * MINUTE, tokenHash: 'a'.repeat(64), endedAt: null };
  await queue.disk.mkdir(FOLDERS.triage);
  await saveRun(queue.disk, { ...run, cases: [id], agents: [], maxCalls: 5 });
  expect(await queue.step(undefined, MINUTE)).toMatchObject({ wants: [], isActive: true });
  expect(await queue.step(undefined, 11 * MINUTE)).toMatchObject({ more: { model_calls: 1 } });
  expect(queue.started).toBe(1);
});

test('what was chosen and not carried out is carried out by an order, and no process begins', async () => {
  const queue = new Queue();
  const id = await queue.ask();
  await resolveCase(queue.ledger, id, { choice: 'ESCALATE', note: '', by: 'triage', now: NOW, among: null });
  expect(await queue.step()).toEqual({
    seen: 1,
    acts: [],
    wants: [{ act: 'resolve', about: id, says: null }],
    more: { model_calls: 0, needs_triage: 1 },
    isActive: true,
  });
  expect(queue.started).toBe(0);
});

test('what is left of a run that was killed is ended though nothing waits any more, once its time is over', async () => {
  const queue = new Queue();
  const run = { id: 'r', startedAt: NOW, deadlineAt: NOW + 10 * MINUTE, tokenHash: 'a'.repeat(64), endedAt: null };
  await queue.disk.mkdir(FOLDERS.triage);
  await saveRun(queue.disk, { ...run, cases: [], agents: [], maxCalls: 5 });
  expect(await queue.step(undefined, MINUTE)).toMatchObject({ wants: [] });
  expect(await queue.step(undefined, 11 * MINUTE)).toMatchObject({ seen: 0, wants: [{ act: 'triage' }] });
  expect(queue.started).toBe(1);
});

// Rules: A-4, P-13.
test('a case of a polecat that is gone is over, with what was told of it; while a record does not count it stays', async () => {
  const queue = new Queue();
  const id = await queue.ask();
  await queue.step({ reasoner: 'none' });
  queue.polecats = { found: [], unreadable: ['rigs/shop/polecats/nux.json: …'] };
  expect(await queue.step({ reasoner: 'none' })).toMatchObject({ seen: 1, acts: [] });
  queue.polecats = { found: [], unreadable: [] };
  const text = 'shop/polecats/nux is gone: nothing is left to decide';
  expect(await queue.step({ reasoner: 'none' })).toMatchObject({
    seen: 0,
    acts: [{ act: 'close', about: id, done: true, text }],
  });
  expect(await queue.ledger.beads([id])).toMatchObject([{ status: 'closed', metadata: { outcome: text } }]);
  expect(await queue.step({ reasoner: 'none' })).toEqual({ seen: 0, ...NOTHING });
});

test('a case of an agent that is no polecat stays', async () => {
  const queue = new Queue();
  await queue.ask('shop/refinery');
  queue.polecats = { found: [], unreadable: [] };
  expect(await queue.step({ reasoner: 'none' })).toMatchObject({ seen: 1 });
});
