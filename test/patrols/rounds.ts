/** A town with rigs in virtual time, and what befalls the cycles of their patrols. */
import { POLICY } from '../../machines/policy.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import type { Order, OutcomeBody } from '../../machines/protocol.ts';
import type { EscalationSeen, Patrolled, PersonsGate, RigLook } from '../../machines/protocol/patrols.ts';
import { Drive, townInput, WALL } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { rig, seen, work } from './seen.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const CALM: Patrolled = { observed: {}, deeds: [], stranded: [], isActive: false, isPaused: false };

/** A root with rigs, and what befalls their cycles. */
export class Rigs {
  rigs: string[] = ['shop'];
  hasLedger = true;
  backedUpAt: number | null = WALL;
  patrol: (of: string) => OutcomeBody | null = () => ({ type: 'PATROLLED', found: CALM });
  act: (order: Extract<Order, { type: 'act' }>) => OutcomeBody | null = () => ({
    type: 'ACTED',
    outcomes: [],
    hasNewCase: false,
  });
  step: (order: Extract<Order, { type: 'step' }>) => OutcomeBody = () => {
    return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false };
  };
  begin: (order: Extract<Order, { type: 'begin' }>) => OutcomeBody = ({ wanted: { act, about, says } }) => {
    const outcomes = says === null ? [] : [{ act, about, done: true, text: says }];
    return { type: 'ACTED', outcomes, hasNewCase: false };
  };
  open: () => OutcomeBody = () => ({ type: 'LEDGER_OPENED', backedUpAt: this.backedUpAt });
  escalations: readonly EscalationSeen[] = [];
  gates: readonly PersonsGate[] = [];
  readonly drive: Drive;

  constructor(more: Partial<Pick<Rigs, 'rigs' | 'hasLedger' | 'backedUpAt'>> = {}) {
    Object.assign(this, more);
    const hands: SimHands = {
      readRigs: () => ({ type: 'RIGS_READ', rigs: this.rigs, hasLedger: this.hasLedger }),
      openLedger: () => this.open(),
      backUpLedger: (_, now) => ({ type: 'LEDGER_BACKED_UP', backedUpAt: (this.backedUpAt = WALL + now) }),
      readEscalations: () => ({ type: 'ESCALATIONS_READ', open: this.escalations, gates: this.gates }),
      patrol: ({ of }) => this.patrol(of),
      act: (order) => this.act(order),
      step: (order) => this.step(order),
      begin: (order) => this.begin(order),
      noteCycle: { type: 'CYCLE_NOTED' },
      announce: { type: 'ANNOUNCED' },
    };
    this.drive = new Drive(hands, { input: townInput(POLICY, { rigs: DEFAULTS.patrols }) });
  }

  cycles(of = 'shop'): number {
    return this.drive.given('patrol').filter((one) => one.of === of).length;
  }
}

const FREE = work({ id: 'tw-1' });
const look = (more: Partial<RigLook> = {}): OutcomeBody => ({
  type: 'SURVEYED',
  seen: seen(more),
  policies: DEFAULTS.patrols,
  watched: [],
});
export const TWO = look({ rig: rig({ work: [FREE, work({ id: 'tw-2' })] }) });
