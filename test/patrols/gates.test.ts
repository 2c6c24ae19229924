/** Gates whose time is over, whatever they wait for: each is told once, stays shut, and is told no more once somebody opened it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { close } from '../../machines/ledger/changes.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { gateFields } from '../../src/ledger/gates.ts';
import { townWork } from '../../src/patrols/town.ts';
import { bead } from '../ledger/beads.ts';
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
  (await townWork(place.townNeeds(), SHUT + ms)).done.map(({ act, about }) => `${act} ${about}`);

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
      expect(await after(TIME + 1)).toEqual(['escalate tw-gate', 'pass tw-gate-overdue']);
      expect(await after(2 * TIME)).toEqual([]);
      expect((await place.ledger.beads(['tw-gate']))[0]?.status).toBe('open');
      await changeBead(place.ledger, 'tw-gate', (one) => close(one, 'decided', new Date(SHUT).toISOString()));
      expect(await after(3 * TIME)).toEqual(['end tw-gate-overdue']);
      expect(await after(100 * TIME)).toEqual([]);
    },
  );

  test.each(['human', 'condition', 'gh:run'])('of the kind %j without a time waits', async (awaits) => {
    await shut(awaits, null);
    expect(await after(1_000 * TIME)).toEqual([]);
  });
});
