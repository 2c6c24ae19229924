/**
 * DISCARD of a polecat that said done, lives on and does not take up what it left in its time, with the town killed wherever the
 * world is another one, from its letter to the end: the work is kept under a ref, nothing else of it is lost, and the bead goes to
 * the next one once.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { newBead } from '../../machines/ledger/bead.ts';
import { addressOf } from '../../machines/rigs/names.ts';
import { decidedCases, undecidedCases } from '../../src/triage/requests.ts';
import { settled } from '../world/time.ts';
import { Rigs } from './rigs.ts';
import { someOf } from './seeds.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Of all places, so many are tried: others each day. */
const KILLS = 24;

/** All that a kill leaves, in one text: the same text at two steps, and what comes after the kill is the same. */
function worldOf({ time, underWay, memory, disk, git, agents }: Rigs): string {
  const lives = [...agents.lives.values()].map(({ uuid, alive, isHung }) => [uuid, alive, isHung]);
  const all = [time.now, underWay, memory.text(), disk.files(), git, lives];
  return JSON.stringify(all, (_, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
}

/** `killAt`: of the steps of the whole play. */
async function play(killAt?: number) {
  const sim = new Rigs({
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
    await sim.pass(() => until);
    await settled();
  };
  await sim.open();
  await pass(20 * SECOND);
  const [tree] = [...sim.git.trees.values()];
  const first = tree!.record;
  sim.git.work(first.uuid);
  sim.git.commit(first.uuid, sim.wall);
  sim.git.work(first.uuid);
  /** The first step with each world. */
  const places = new Map<string, number>();
  if (killAt === undefined)
    sim.stepped = (step) => {
      const world = worldOf(sim);
      if (!places.has(world)) places.set(world, step);
    };
  await sim.people.mail('shop', 'POLECAT_DONE w1', '', addressOf(first));
  return { sim, first, places, pass };
}

async function outcomeOf({ sim, first }: Played) {
  const [bead] = await sim.memory.beads(['w1']);
  const cases = [...(await undecidedCases(sim.memory)), ...(await decidedCases(sim.memory, 10))];
  return {
    lost: sim.git.lost,
    isKept: sim.git.rescued.size > 0,
    isThere: sim.git.trees.has(first.uuid),
    attempts: bead?.attempts,
    // Another polecat, of any name, or none yet.
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

type Played = Awaited<ReturnType<typeof play>>;

/** How it stands when all has been well for some cycles after the kill, or long after it. */
async function endOf(played: Played): Promise<unknown> {
  const { sim, pass } = played;
  for (let at = 2 * MINUTE; at <= 30 * MINUTE; at += 2 * MINUTE) {
    await pass(at);
    if (sim.kills > 0 && isDeepStrictEqual(await outcomeOf(played), GOOD)) break;
  }
  await pass(sim.time.now + 4 * MINUTE);
  return outcomeOf(played);
}

// Rules: P-15.
test('killed wherever it leaves another world, or nowhere', async () => {
  const whole = await play();
  await whole.pass(16 * MINUTE);
  expect(await outcomeOf(whole)).toEqual(GOOD);
  const steps = [...whole.places.values()];
  expect(steps.length).toBeGreaterThan(50);
  for (const step of someOf(steps, KILLS)) expect([step, await endOf(await play(step))]).toEqual([step, GOOD]);
});
