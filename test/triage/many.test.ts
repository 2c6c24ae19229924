/** Ten thousand open cases: a person is told of a few by name and of the others by one alert with their count, and no cycle repeats that. */
import { expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { MAX_ALIKE } from '../../machines/patrols/policy.ts';
import { dispatchTriage, type DispatchAct } from '../../machines/triage/dispatch.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { closeBead } from '../../src/ledger/change.ts';
import { firstOf } from '../../src/ledger/walk.ts';
import { countOf, ESCALATION } from '../../src/ledger/escalations.ts';
import { tellPerson, type CaseEscalation } from '../../src/triage/carry-out.ts';
import { tellCount } from '../../src/triage/counted.ts';
import { markTold, requestTriage, undecidedCases } from '../../src/triage/requests.ts';
import { queueOf } from '../../src/triage/run.ts';
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
  readonly letters: CaseEscalation[] = [];
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

  /** One cycle as `town triage run` carries it out. */
  async cycle(): Promise<DispatchAct[]> {
    const { ledger } = this;
    const open = await undecidedCases(ledger);
    const acts = dispatchTriage(await queueOf(ledger, open, { now: NOW, running: 'no' }), TRIAGE);
    const escalate = async (given: CaseEscalation): Promise<void> => void this.letters.push(given);
    for (const act of acts) {
      if (act.act === 'count') await tellCount({ ledger, now: () => NOW, escalate }, act);
      const one = act.act === 'tell' ? open.find(({ id }) => id === act.case) : undefined;
      if (one === undefined) continue;
      await tellPerson({ escalate }, one, 'A decision is wanted');
      await markTold(ledger, one.id, new Date(NOW).toISOString());
    }
    return acts;
  }

  step(): Promise<TriageStep> {
    const { ledger, disk } = this;
    return triageStep({ ledger, disk, policy: TRIAGE, command: null, now: NOW });
  }

  counted = async (): Promise<(number | null)[]> =>
    (await firstOf((page) => this.ledger.list({ labels: [ESCALATION] }, page), MOST)).map(countOf);
}

// Rules: law 8, P-14.
test('ten thousand cases', async () => {
  const queue = new Queue();
  await queue.fill(MANY);
  expect((await queue.step()).began).toBe(
    `a person is told of ${MAX_ALIKE}, a person is told that there are 9995 more`,
  );
  await queue.cycle();
  expect(queue.letters).toHaveLength(MAX_ALIKE + 1);
  expect(queue.letters.at(-1)?.title).toBe(`decide about ${MANY - MAX_ALIKE} more cases`);
  expect(await queue.counted()).toEqual([MANY - MAX_ALIKE]);
  expect(await queue.cycle()).toEqual([]);
  expect((await queue.step()).began).toBeNull();
});

test('the count is over when few are left, and when none is', async () => {
  const queue = new Queue();
  await queue.fill(MAX_ALIKE + 3);
  await queue.cycle();
  const untold = (await undecidedCases(queue.ledger)).filter(({ wasTold }) => !wasTold);
  const told = (await undecidedCases(queue.ledger)).filter(({ wasTold }) => wasTold);
  for (const { id } of told) await closeBead(queue.ledger, id, 'decided', NOW);
  expect((await queue.cycle()).map(({ act }) => act)).toEqual([...untold.map(() => 'tell'), 'count']);
  expect(await queue.counted()).toEqual([]);
  await queue.fill(2 * MAX_ALIKE + 3);
  await queue.cycle();
  expect(await queue.counted()).toHaveLength(1);
  for (const { id } of await undecidedCases(queue.ledger)) await closeBead(queue.ledger, id, 'decided', NOW);
  await queue.step();
  expect(await queue.counted()).toEqual([]);
});
