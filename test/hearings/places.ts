/** A dog that waits for the outcome of a look, in each place of a hearing. */
import { expect, test } from 'vitest';
import type { DancePolicy } from '../../machines/hearings/policy.ts';
import type { Dance } from '../../machines/protocol.ts';
import { askedUpTo, awake, cells, SIGHTS, TREE, tools, type LoneDog, type ObservationName } from './lone.ts';

export const RESCUE = { folder: 'rescue/dog-1', ref: null };
export const SILENT = SIGHTS.silent;
const atEnd = { observedMs: 240_000, tree: TREE };

/** Its work is saved, and it is looked at for the last time. */
function saved(base: Dance, policy: Partial<DancePolicy> = {}): LoneDog {
  const lone = awake(askedUpTo({ ...base, stage: 'executing.looking', ...atEnd }, 3), policy);
  lone.look(SILENT);
  lone.outcome({ type: 'RESCUED', rescue: RESCUE });
  return lone;
}

/** A dog that waits for the outcome of a look, in each place. */
export const PLACES = {
  unasked: (base: Dance, policy: Partial<DancePolicy> = {}) => {
    const lone = awake({ ...base, stage: 'interrogating.suspended' }, policy);
    lone.pass(1);
    lone.look(SILENT); // the person left; it judges afresh
    return lone;
  },
  listening: (base: Dance, policy: Partial<DancePolicy> = {}) =>
    awake(askedUpTo({ ...base, stage: 'interrogating.listening', observedMs: 5_000 }, 1), policy),
  'evaluating 1/3': (base: Dance, policy: Partial<DancePolicy> = {}) =>
    awake(askedUpTo({ ...base, stage: 'evaluating', observedMs: 60_000 }, 1), policy),
  'evaluating 3/3': (base: Dance, policy: Partial<DancePolicy> = {}) =>
    awake(askedUpTo({ ...base, stage: 'evaluating', observedMs: 240_000 }, 3), policy),
  'after the intent': (base: Dance, policy: Partial<DancePolicy> = {}) =>
    awake(askedUpTo({ ...base, stage: 'executing.looking', ...atEnd }, 3), policy),
  'after the rescue': saved,
  'after TERM': (base: Dance, policy: Partial<DancePolicy> = {}) => {
    const lone = saved(base, policy);
    lone.look(SILENT);
    lone.outcome({ type: 'SIGNALLED', alive: TREE, newcomers: [] });
    return lone;
  },
  'after a restart in mid-kill': (base: Dance, policy: Partial<DancePolicy> = {}) =>
    awake(askedUpTo({ ...base, stage: 'executing.killing', rescue: RESCUE, killing: true, ...atEnd }, 3), policy),
  suspended: (base: Dance, policy: Partial<DancePolicy> = {}) => {
    const lone = awake(askedUpTo({ ...base, stage: 'interrogating.suspended' }, 1), policy);
    lone.pass(1);
    return lone;
  },
  confirming: (base: Dance, policy: Partial<DancePolicy> = {}) => {
    const lone = awake(askedUpTo({ ...base, stage: 'interrogating.listening' }, 1), policy);
    lone.look(SIGHTS['gone, pane left']);
    lone.pass(tools().policy.goneAgainMs);
    return lone;
  },
} satisfies Record<string, (base: Dance, policy?: Partial<DancePolicy>) => LoneDog>;
type Place = keyof typeof PLACES;

/** `listening`, `suspended`, `complete void`: the step where it is, and its verdict if that says more. */
export const cellOf = (lone: LoneDog): string => {
  const [outer = '', inner] = lone.state.split('.');
  const step = outer === 'interrogating' || outer === 'executing' ? (inner ?? '') : outer;
  const { verdict } = lone.dance;
  return verdict === null || verdict === step ? step : `${step} ${verdict}`;
};

export function decides(base: Dance, table: string, policy: Partial<DancePolicy> = {}): void {
  // Rules: law 1, D-4.
  test.each(cells(table))('$row, $column: $cell', ({ row, column, cell }) => {
    const lone = PLACES[column as Place](base, policy);
    const before = { state: lone.state, dance: lone.dance, orders: lone.orders.length };
    lone.look(SIGHTS[row as ObservationName]);
    if (cell !== 'same') return expect(cellOf(lone)).toBe(cell);
    // That the dog got an outcome at all ends the count of recoveries, and is no change of the hearing.
    const { recoveries } = lone.dance;
    expect({ state: lone.state, dance: lone.dance, orders: lone.orders.length }).toEqual({
      ...before,
      dance: { ...before.dance, recoveries },
    });
    lone.pass(tools().policy.retryMs);
    expect(lone.typesSince(before.orders)).toEqual(['look']);
  });
}
