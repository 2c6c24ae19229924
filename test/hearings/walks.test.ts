/** Random walks through the real tree of actors: with any answers of the hands no dog spins, hangs, skips a look or loses its record. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Dance, Order, OutcomeBody } from '../../machines/protocol.ts';
import { Drive, incarnation, warrant, WALL } from '../world/drive.ts';
import { quiet, type Answer } from '../world/hands.ts';
import { kept, LoneDog, MARK, SIGHTS, TREE } from './lone.ts';

const FAILED: OutcomeBody = { type: 'ORDER_FAILED', why: 'it could not' };
const REFUSED: OutcomeBody = { type: 'TREE_REFUSED', why: 'the town runs below it' };
/** What may come of an order, the plain outcome first. */
function possible(order: Order): readonly OutcomeBody[] {
  switch (order.type) {
    case 'ask':
      return [
        { type: 'ASKED', mark: MARK, tail: '' },
        ...(['dialog', 'person', 'gone, pane left', 'replaced', 'unknown'] as const).map(
          (name) => ({ type: 'NOT_ASKED', obstacle: SIGHTS[name] }) as const,
        ),
        { type: 'NOT_ASKED', obstacle: { kind: 'busy', what: 'copy mode' } },
        FAILED,
      ];
    case 'look':
      return [
        ...Array.from({ length: 12 }, () => ({ type: 'LOOKED', observation: SIGHTS.silent, tail: '' }) as const),
        ...Object.values(SIGHTS).map((observation) => ({ type: 'LOOKED', observation, tail: '' }) as const),
        FAILED,
      ];
    case 'listTree':
      return [{ type: 'TREE_LISTED', tree: TREE }, { type: 'TREE_LISTED', tree: TREE }, REFUSED, FAILED];
    case 'rescue':
      return [{ type: 'RESCUED', rescue: { folder: 'rescue/x', ref: null } }, FAILED];
    case 'signal':
      return [
        { type: 'SIGNALLED', alive: [], newcomers: [] },
        { type: 'SIGNALLED', alive: order.tree, newcomers: [{ pid: 3_000 + order.tree.length, started: 'x' }] },
        REFUSED,
        FAILED,
      ];
    case 'clear':
      return [{ type: 'CLEARED', survivors: [] }, FAILED];
    case 'sendVerdict':
    case 'checkpoint':
    case 'readRecords':
    case 'readWarrants':
    case 'readSessions':
    case 'scan': {
      const plain = quiet(order, 0);
      return plain === null || 'after' in plain ? [FAILED] : [plain, plain, FAILED];
    }
    default:
      return [];
  }
}

/** The simulation walks farther; this is the part that runs with every change. */
const RUNS = { numRuns: 25 };
const WALK = fc.record({
  choices: fc.array(fc.nat(), { minLength: 20, maxLength: 200 }),
  force: fc.boolean(),
  minutes: fc.integer({ min: 1, max: 60 }),
});
const walked = ({ choices, force, minutes }: { choices: number[]; force: boolean; minutes: number }): Drive => {
  let step = 0;
  const answers = (order: Order): Answer => {
    const bodies = possible(order);
    const body = bodies[(choices[step++ % choices.length] ?? 0) % Math.max(1, bodies.length)];
    return body ?? quiet(order, 0);
  };
  const drive = new Drive(answers);
  const target = incarnation(1);
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1', target, { force, filedAt: WALL + drive.now }) });
  drive.run(minutes * 60_000);
  return drive;
};
const danceIn = (drive: Drive): Dance | null => drive.dances[0] ?? null;

type Walk = Parameters<typeof walked>[0];
const always = (isSo: (walk: Walk) => void): void => fc.assert(fc.property(WALK, isSo), RUNS);

describe('with any answers of the hands', () => {
  test('no actor crashes, none spins, and one always waits for something later', () => {
    always((walk) => {
      const drive = walked(walk);
      expect(drive.tree.failure).toBe(null);
      expect(drive.tree.nextWake).toBeGreaterThan(drive.now);
      expect(danceIn(drive)?.crashes ?? 0).toBe(0);
    });
  });

  // Rules: law 2.
  test('a signal comes only after a listed tree, a look taken after it, and saved work; the last look never said alive', () => {
    always((walk) => {
      const drive = walked(walk);
      const first = drive.orders.findIndex((o) => o.type === 'signal');
      if (first < 0) return;
      const before = drive.orders.slice(0, first).map((o) => o.type);
      const last = (type: Order['type']) => before.lastIndexOf(type);
      expect(last('listTree')).toBeGreaterThanOrEqual(0);
      expect(last('rescue')).toBeGreaterThan(last('listTree'));
      expect(last('look')).toBeGreaterThan(last('rescue'));
    });
  });

  // Rules: law 2.
  test('no agent is executed before 420 s of observed time and three questions, unless an operator forces it', () => {
    always((walk) => {
      const dance = danceIn(walked({ ...walk, force: false }));
      if (dance?.killing !== true) return;
      expect(dance.attempt).toBe(POLICY.dance.windowsMs.length);
      expect(dance.attempts.every((a) => a.askedAt !== null)).toBe(true);
      expect(dance.observedMs).toBeGreaterThanOrEqual(POLICY.dance.windowsMs.at(-1)! - POLICY.dance.saveEveryMs);
    });
  });

  // Rules: D-12.
  test('a record woken again is the same dance, wherever it was cut', () => {
    always((walk) => {
      const record = danceIn(walked(walk));
      if (record === null || record.stage === 'closed') return;
      const woken = new LoneDog(JSON.parse(JSON.stringify(record)) as Dance);
      expect(woken.dance).toEqual({ ...record, recoveries: record.recoveries + 1 });
      woken.outcome({ type: 'SAVED' });
      expect(kept(woken.dance)).toEqual(kept(record));
    });
  });
});
