/** Gates whose time is over, of each kind: each is told once, stays shut, and is told no more once it was opened. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { close } from '../../machines/ledger/changes.ts';
import { MAX_ALIKE } from '../../machines/patrols/policy.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { countOf, ESCALATION } from '../../src/ledger/escalations.ts';
import { gateFields, personsGates, waitsText } from '../../src/ledger/gates.ts';
import { readEscalations } from '../../src/patrols/deacon/escalations.ts';
import { townRound } from './town-round.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { bead } from '../ledger/beads.ts';
import { realLedger } from '../ledger/real.ts';
import { Place } from '../plugins/place.ts';
import { MINUTE } from './seen.ts';

const SHUT = 1_000_000;
const TIME = 30 * MINUTE;

let place: Place;
beforeEach(() => {
  place = new Place();
  place.plugin('quiet', 'command = ["true"]\n[gate]\ntype = "condition"\ncheck = "false"\n');
});

/** What is done about the gate so long after it was shut. */
const after = async (ms: number): Promise<string[]> =>
  (await townRound(place.townNeeds(), SHUT + ms)).deeds.map(({ act, about }) => `${act} ${about}`);

const shut = async (awaits: string, timeoutMs: number | null): Promise<void> => {
  const at = new Date(SHUT).toISOString();
  const one = bead('tw-gate', {
    type: 'gate',
    createdAt: at,
    updatedAt: at,
    extra: gateFields(awaits, timeoutMs, 'quiet'),
  });
  await place.ledger.put(one, { expects: 0, write: 'shut' });
};

describe('a gate', () => {
  // Rules: P-7.
  test.each(['timer', 'human', 'condition', 'plugin', 'gh:run', ''])(
    'of the kind %j is told once its time is over, once, and no more when it is open',
    async (awaits) => {
      await shut(awaits, TIME);
      expect(await after(TIME)).toEqual([]);
      expect(await after(TIME + 1)).toEqual(['escalate tw-gate']);
      expect(await after(2 * TIME)).toEqual([]);
      expect((await place.ledger.beads(['tw-gate']))[0]?.status).toBe('open');
      await changeBead(place.ledger, 'tw-gate', (one) => close(one, 'decided', new Date(SHUT).toISOString()));
      expect(await after(3 * TIME)).toEqual([]);
      expect(await readEscalations({ ...place.townNeeds() }, SHUT)).toEqual([]);
      expect(await after(100 * TIME)).toEqual([]);
    },
  );

  test.each(['human', 'condition', 'gh:run'])('of the kind %j without a time waits', async (awaits) => {
    await shut(awaits, null);
    expect(await after(1_000 * TIME)).toEqual([]);
  });

  // Rules: A-4.
  test.each<[string, number | null, boolean]>([
    ['human', null, true],
    ['human', TIME, false],
    ['condition', null, false],
    ['', null, false],
  ])("of the kind %j with the time %j is a person's own until it is open: %j", async (awaits, timeoutMs, isOwn) => {
    await shut(awaits, timeoutMs);
    const { title } = bead('tw-gate', {});
    expect(await personsGates(place.ledger)).toEqual(isOwn ? [{ id: 'tw-gate', text: waitsText({ title }) }] : []);
    await changeBead(place.ledger, 'tw-gate', (one) => close(one, 'decided', new Date(SHUT).toISOString()));
    expect(await personsGates(place.ledger)).toEqual([]);
  });
});

// Rules: law 8.
test('ten thousand overdue gates are a few alerts and one with their count, which ends when few are left', async () => {
  const MANY = 10_000;
  const ledger = realLedger();
  const at = new Date(SHUT).toISOString();
  const fields = { type: 'gate', createdAt: at, updatedAt: at, extra: gateFields('timer', TIME, undefined) };
  const gates = Array.from({ length: MANY }, (_, nth) => bead(`tw-g${nth}`, fields));
  const store = async (all: readonly Bead[], write: string): Promise<void> => {
    for (let from = 0; from < all.length; from += LEDGER.maxPage) {
      const some = all.slice(from, from + LEDGER.maxPage);
      const before = await ledger.beads(some.map(({ id }) => id));
      const expects = (id: string): number => before.find((one) => one.id === id)?.version ?? 0;
      await ledger.putAll(some.map((one) => ({ bead: one, condition: { expects: expects(one.id), write } })));
    }
  };
  await store(gates, 'shut');
  const cycle = async (ms: number, act: string): Promise<string[]> => {
    const { deeds } = await townRound({ ...place.townNeeds(), ledger }, SHUT + ms);
    return deeds.filter((one) => one.act === act).map(({ about }) => about);
  };
  const open = async () => (await ledger.list({ labels: [ESCALATION] }, { limit: 100 })).items;
  expect(await cycle(2 * TIME, 'escalate')).toHaveLength(MAX_ALIKE + 1);
  expect(await cycle(3 * TIME, 'escalate')).toEqual([]);
  expect(await open()).toHaveLength(MAX_ALIKE + 1);
  expect((await open()).flatMap((one) => countOf(one) ?? [])).toEqual([MANY - MAX_ALIKE]);
  const closed = gates.slice(0, -1).map((gate) => close(gate, 'decided', at));
  await store(closed, 'open');
  expect(await readEscalations({ ...place.townNeeds(), ledger }, SHUT)).toHaveLength(1);
  expect(await cycle(5 * TIME, 'escalate')).toEqual([gates.at(-1)?.id]);
  expect(await open()).toHaveLength(1);
});
