/** What an agent's cycles found and did is told by the town as its own: the numbers as they stand, each deed once. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Patrolled } from '../../machines/protocol/patrols.ts';
import { memoryOf, watchAgent } from '../../src/patrols/agent/watch.ts';
import { noteFound } from '../../src/patrols/memory/noted.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const LAND = { step: 'convoys', act: 'land', about: 'tw-cv-1', done: true, text: 'all closed' } as const;
const cycle = (needs_triage: number, more: Partial<Patrolled> = {}): Patrolled => ({
  observed: { convoys: 2, model_calls: 0, needs_triage },
  deeds: [],
  stranded: [],
  isActive: false,
  isPaused: false,
  ...more,
});

/** One look of the town at a Deacon that lives in a session. */
function look(ledger: MemoryLedger, now: number, isNews = true): Promise<Patrolled> {
  const refuse = () => Promise.reject(new Error('nobody is asked'));
  return watchAgent({
    of: 'deacon',
    ledger,
    now,
    standing: 'lives',
    standIn: refuse,
    isNews: () => isNews,
    spec: { name: 'hq-deacon', command: ['cat'], dir: '/', tags: [], restart: 'permanent', process: null },
    disk: {} as never,
    door: { ask: refuse, askIfUp: refuse, overview: refuse },
    policy: { ...POLICY.rounds, idleMs: 5 * MINUTE },
  });
}

// Rules: P-18.
test('cycles of a Deacon that is an agent are counted, and how many of them needed a decision', async () => {
  const ledger = new MemoryLedger();
  const needed = [0, 1, 0];
  for (const [at, needs] of needed.entries()) {
    const author = memoryOf('deacon', 'cycle');
    await ledger.addEvidence({ id: `c${at}`, author: memoryOf('deacon', 'patrol'), kind: 'x', text: '', at: NOW + at });
    await ledger.addEvidence({ id: `d${at}`, author, kind: 'cycle', text: 'u', at: NOW + at });
    await noteFound(ledger, 'deacon', cycle(needs), NOW + at);
  }
  const found = await look(ledger, NOW + 10);
  expect(found.observed).toEqual({ convoys: 2, model_calls: 0, agent_cycles: 3, agent_triage_cycles: 1, stands_in: 0 });
  expect(found.endedAt).toBe(NOW + 2);
  // However often the town looks.
  expect((await look(ledger, NOW + 20)).observed).toEqual(found.observed);
});

test('what it did is told once, what is stranded as long as it is so', async () => {
  const ledger = new MemoryLedger();
  await ledger.addEvidence({ id: 'p', author: memoryOf('deacon', 'patrol'), kind: 'x', text: '', at: NOW });
  await noteFound(ledger, 'deacon', cycle(0, { deeds: [LAND], stranded: ['tw-1'] }), NOW);
  expect(await look(ledger, NOW + 1)).toMatchObject({ deeds: [LAND], stranded: ['tw-1'] });
  expect(await look(ledger, NOW + 2, false)).toMatchObject({ deeds: [], stranded: ['tw-1'] });
});
