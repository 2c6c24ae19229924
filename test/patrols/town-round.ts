/** The Deacon's round as a town does it: the machine of patrols, whose orders are carried out over a ledger of the test. */
import type { Order, OutcomeBody } from '../../machines/protocol.ts';
import type { Patrolled } from '../../machines/protocol/patrols.ts';
import { POLICY } from '../../machines/policy.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import type { TownNeeds } from '../../src/patrols/deacon/needs.ts';
import { doWanted, townStep } from '../../src/patrols/deacon/round.ts';
import { beginCycle, endCycle, putAwayCutOff } from '../../src/patrols/memory/digest.ts';
import { PatrolDriver } from '../../src/patrols/thread/once.ts';

type Step = Extract<Order, { type: 'step' }>;

/** Rejects with why it came to nothing. `carryOut`: how each step is done. */
export function townRound(
  needs: TownNeeds,
  now: number,
  carryOut: (order: Step, work: () => Promise<OutcomeBody>) => Promise<OutcomeBody> = (_, work) => work(),
): Promise<Patrolled> {
  const cycle = { ledger: needs.ledger, of: 'deacon', now };
  const perform = async (order: Order): Promise<OutcomeBody> => {
    switch (order.type) {
      case 'readPatrol':
        return { type: 'PATROL_READ', record: null };
      case 'patrol':
        await putAwayCutOff(cycle);
        return { type: 'ROUND_OPENED', watched: [] };
      case 'step':
        return carryOut(order, () => townStep(needs, order, now));
      case 'begin':
        return doWanted(
          {
            ledger: needs.ledger,
            start: () => undefined,
            choices: () => Promise.reject(new Error('no case is decided')),
          },
          order.wanted,
          now,
        );
      case 'noteCycle':
        await ('doing' in order ? beginCycle(cycle, order.doing) : endCycle(cycle, order.did));
        return { type: 'CYCLE_NOTED' };
      case 'reply':
        return { type: 'REPLIED' };
      default:
        return { type: 'ANNOUNCED' };
    }
  };
  const { rounds, watchdog } = POLICY;
  const { activeMs, idleMs } = watchdog.deacon;
  const input = { of: 'deacon', policy: { ...rounds, activeMs, idleMs }, policies: DEFAULTS.patrols };
  const stamp = { at: now, wall: now };
  return new PatrolDriver(input, { perform, save: () => Promise.resolve(), now: () => stamp }).cycle('operator');
}
