/**
 * Agents at the same beads at once, whose calls overtake each other and who may fall at any of them: no bead is lost, none is on two hooks,
 * and no agent closes what has another holder by then.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { close, holderOf, hook, unhook } from '../../machines/ledger/changes.ts';
import { changeBead } from '../../src/ledger/change.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { AT, bead } from './beads.ts';
import { MemoryLedger } from './memory.ts';

const AGENTS = ['nux', 'slit', 'ace'] as const;
const IDS = ['a', 'b'] as const;
const ACTS = ['hook', 'unhook', 'close'] as const;
type Agent = (typeof AGENTS)[number];
interface Step {
  readonly agent: Agent;
  readonly act: (typeof ACTS)[number];
  readonly id: (typeof IDS)[number];
  /** Falls at this call of it; the next step of the agent is a new life's. */
  readonly fallsAt: number | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  agent: fc.constantFrom(...AGENTS),
  act: fc.constantFrom(...ACTS),
  id: fc.constantFrom(...IDS),
  fallsAt: fc.option(fc.nat(3), { nil: null }),
});

class Fell extends Error {}

/** Every put that was stored, in the order in which it was. */
interface Stored {
  readonly by: Agent;
  readonly before: Bead;
  readonly after: Bead;
}

/** The ledger as one step sees it: each call waits for its turn, and one is the last. */
function through(ledger: MemoryLedger, scheduler: fc.Scheduler, { agent, fallsAt }: Step, stored: Stored[]): Ledger {
  let calls = 0;
  const turn = async (): Promise<void> => {
    await scheduler.schedule(Promise.resolve());
    if ((calls += 1) === fallsAt) throw new Fell();
  };
  const seen = Object.create(ledger) as Ledger;
  seen.beads = async (ids) => {
    await turn();
    const found = await ledger.beads(ids);
    await turn();
    return found;
  };
  seen.put = async (next, condition) => {
    await turn();
    const [before] = await ledger.beads([next.id]);
    const put = await ledger.put(next, condition);
    if (put.is === 'done' && before !== undefined && put.bead.version !== before.version)
      stored.push({ by: agent, before, after: put.bead });
    await turn();
    return put;
  };
  return seen;
}

function decided(one: Bead, { agent, act }: Step): Bead {
  // As the agent that works on it does: it ends what is its own.
  if (act === 'close') return holderOf(one) === agent ? close(one, `by ${agent}`, AT) : one;
  const made = act === 'hook' ? hook(one, agent, AT) : unhook(one, agent, AT);
  return made.ok ? made.bead : one;
}

// Rules: P-5.
test('in any order of their calls, and after the fall of any', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { minLength: 2, maxLength: 12 }), async (scheduler, steps) => {
      const ledger = new MemoryLedger();
      for (const id of IDS) await ledger.put(bead(id), { expects: 0, write: `made-${id}` });
      const stored: Stored[] = [];
      const running = steps.map(async (one) => {
        try {
          await changeBead(through(ledger, scheduler, one, stored), one.id, (read) => decided(read, one));
        } catch (error) {
          if (!(error instanceof Fell)) throw error;
        }
      });
      await scheduler.waitFor(Promise.all(running));
      for (const { by, before, after } of stored) {
        const holder = holderOf(before);
        // A hook is empty on its way from one to another.
        expect([by, null]).toContain(holder);
        expect([by, null]).toContain(holderOf(after));
        if (after.status === 'closed') expect(holder).toBe(by);
      }
      expect((await ledger.beads(IDS)).map(({ id }) => id)).toEqual(IDS);
    }),
  );
});
