/** Ten thousand open cases: a person is told of a few by name and of the others by one alert with their count, and no cycle repeats that. */
import { expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { MAX_ALIKE } from '../../machines/patrols/policy.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { closeBead } from '../../src/ledger/change.ts';
import { firstOf } from '../../src/ledger/walk.ts';
import { countOf, ESCALATION } from '../../src/ledger/escalations.ts';
import { requestTriage, undecidedCases } from '../../src/triage/requests.ts';
import { triageStep, type TriageStep } from '../../src/triage/step.ts';
import { realDisk } from '../../state/files/disk.ts';
import { realLedger } from '../ledger/real.ts';
import { freshFolder } from '../world/over.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MANY = 10_000;
const MOST = 500;

class Queue {
  readonly ledger = realLedger();
  readonly disk = realDisk(freshFolder(), 0);
  #filled = 0;

  /** As many as that, each about another agent. */
  async fill(count: number): Promise<void> {
    this.#filled += 1;
    const agent = `shop/polecats/p${this.#filled}`;
    const about = { type: 'stuck_agent', agent, rig: 'shop', why: 'no progress' } as const;
    const { id } = await requestTriage(this.ledger, { ...about, by: 'shop/witness', now: NOW, policy: TRIAGE });
    const [one] = await this.ledger.beads([id]);
    if (one === undefined) throw new Error('it was not asked for');
    const others = Array.from({ length: count - 1 }, (_, nth): Bead => {
      const metadata = { ...one.metadata, agent_bead_id: `${agent}-${nth}` };
      return {
        ...one,
        id: `tw-case-${this.#filled}-${nth}`,
        metadata,
        labels: [...one.labels, `agent:${agent}-${nth}`],
      };
    });
    for (let from = 0; from < others.length; from += MOST)
      await this.ledger.putAll(
        others.slice(from, from + MOST).map((bead) => {
          return { bead, condition: { expects: 0, write: `${bead.id}-w`, official: one.official } };
        }),
      );
  }

  step(): Promise<TriageStep> {
    const { ledger, disk } = this;
    // While a record does not count, no polecat is known to be gone.
    const records = { polecats: () => Promise.resolve({ found: [], unreadable: ['…'] }) };
    const needs = { ledger, disk, records, policy: TRIAGE, command: null };
    return triageStep({ ...needs, doing: () => Promise.resolve() }, NOW);
  }

  /** Titles of all open escalations. */
  told = async (): Promise<string[]> =>
    (await firstOf((page) => this.ledger.list({ labels: [ESCALATION] }, page), MOST)).map(({ title }) => title);

  counted = async (): Promise<(number | null)[]> =>
    (await firstOf((page) => this.ledger.list({ labels: [ESCALATION] }, page), MOST)).map(countOf);
}

// Rules: law 8, P-14.
test('ten thousand cases', async () => {
  const queue = new Queue();
  await queue.fill(MANY);
  expect((await queue.step()).acts).toHaveLength(MAX_ALIKE + 1);
  const told = await queue.told();
  expect(told).toHaveLength(MAX_ALIKE + 1);
  expect(told).toContain(`decide about ${MANY - MAX_ALIKE} more cases`);
  expect((await queue.counted()).filter((count) => count !== null)).toEqual([MANY - MAX_ALIKE]);
  expect(await queue.step()).toMatchObject({ acts: [], wants: [] });
  expect(await queue.told()).toEqual(told);
});

test('the count is over when few are left, and when none is', async () => {
  const queue = new Queue();
  await queue.fill(MAX_ALIKE + 3);
  await queue.step();
  const untold = (await undecidedCases(queue.ledger)).filter(({ wasTold }) => !wasTold);
  const told = (await undecidedCases(queue.ledger)).filter(({ wasTold }) => wasTold);
  for (const { id } of told) await closeBead(queue.ledger, id, 'decided', NOW);
  expect((await queue.step()).acts.map(({ about }) => about)).toEqual([...untold.map(({ id }) => id), '0 more cases']);
  expect((await queue.counted()).filter((count) => count !== null)).toEqual([]);
  await queue.fill(2 * MAX_ALIKE + 3);
  await queue.step();
  expect((await queue.counted()).filter((count) => count !== null)).toHaveLength(1);
  for (const { id } of await undecidedCases(queue.ledger)) await closeBead(queue.ledger, id, 'decided', NOW);
  await queue.step();
  expect((await queue.counted()).filter((count) => count !== null)).toEqual([]);
});
