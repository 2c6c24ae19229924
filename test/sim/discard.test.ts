/**
 * DISCARD of a polecat that said done, lives on and does not take up what it left in its time, with the town killed at each durable step from its letter to the end: the work is kept
 * under a ref, nothing else of it is lost, and the bead goes to the next one once.
 */
import { expect, test } from 'vitest';
import { newBead } from '../../machines/ledger/bead.ts';
import { addressOf } from '../../machines/rigs/names.ts';
import { decidedCases, undecidedCases } from '../../src/triage/requests.ts';
import { settled } from '../world/time.ts';
import { RigsSim } from './rigs.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** `killAt`: of the steps of the whole play. */
async function play(lastsMs: number, killAt?: number) {
  const sim = new RigsSim({
    seed: 1,
    rigs: ['shop'],
    maxPolecats: 2,
    work: 0,
    withinMs: 0,
    untilMs: Infinity,
    calm: true,
    isScripted: true,
    ...(killAt !== undefined && { killAt }),
  });
  sim.chooses = 'DISCARD';
  const given = { title: 'do it', createdBy: 'mayor', createdAt: sim.iso, rig: 'shop' };
  await sim.memory.put(newBead({ ...given, id: 'w1' }), { expects: 0, write: 'w1' });
  const pass = async (until: number): Promise<void> => {
    sim.time.at(until, () => undefined);
    await sim.pass(until);
    await settled();
  };
  await sim.open();
  await pass(20 * SECOND);
  const [tree] = [...sim.git.trees.values()];
  const first = tree!.record;
  sim.git.work(first.uuid);
  sim.git.commit(first.uuid, sim.wall);
  sim.git.work(first.uuid);
  const before = sim.steps;
  await sim.people.mail('shop', 'POLECAT_DONE w1', '', addressOf(first));
  await pass(lastsMs);
  return { sim, first, before };
}

async function outcomeOf({ sim, first }: Awaited<ReturnType<typeof play>>) {
  const [bead] = await sim.memory.beads(['w1']);
  const cases = [...(await undecidedCases(sim.memory)), ...(await decidedCases(sim.memory, 10))];
  return {
    lost: sim.git.lost,
    isKept: sim.git.rescued.size > 0,
    isThere: sim.git.trees.has(first.uuid),
    attempts: bead?.attempts,
    // Another polecat, of whatever name, or none yet.
    holds: bead?.assignee === '' || bead?.status === 'hooked',
    chosen: cases.map(({ state, resolution }) => [state, resolution?.choice]),
  };
}

const GOOD = {
  lost: [],
  isKept: true,
  isThere: false,
  attempts: 1,
  holds: true,
  chosen: [['closed', 'DISCARD']],
};

// Rules: P-15.
test('killed at any step, or at none', async () => {
  const whole = await play(16 * MINUTE);
  expect(await outcomeOf(whole)).toEqual(GOOD);
  const { before } = whole;
  const last = whole.sim.steps;
  expect(last - before).toBeGreaterThan(50);
  for (let step = before + 1; step <= last; step += 1)
    expect([step, await outcomeOf(await play(30 * MINUTE, step))]).toEqual([step, GOOD]);
});
