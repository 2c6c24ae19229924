/** Crashes inside the town: of a dog, of the kennel, of the process, each contained at its own height (design: the tree). */
import { describe, expect, test } from 'vitest';
import type { Dance, OutcomeBody } from '../../machines/protocol.ts';
import { POLICY } from '../../machines/policy.ts';
import { dog } from '../../machines/hearings/dog/chart.ts';
import { kennel } from '../../machines/hearings/kennel.ts';
import { createSupervisor } from '../../machines/kernel/supervisor.ts';
import type { OrderOf } from '../../src/ports/ports.ts';
import { Drive, incarnation, warrant } from '../world/drive.ts';
import { ASKED, seeing, type SimHands } from '../world/hands.ts';
import { tools } from './lone.ts';

const NONSENSE = { type: 'LOOKED', tail: '' } as unknown as OutcomeBody;
const SILENT = seeing({ kind: 'silent' });
/** Silent targets, of which some are looked at with an outcome that makes their dog throw. */
const town = (poisoned: (order: OrderOf<'look'>) => boolean, more: SimHands = {}) =>
  new Drive({ ask: ASKED, look: (order) => (poisoned(order) ? NONSENSE : SILENT), ...more });
const file = (drive: Drive, ...ns: number[]) =>
  drive.tell(...ns.map((n) => ({ type: 'WARRANT_FILED', warrant: warrant(`w${n}`, incarnation(n)) }) as const));
/** XState's own name of every actor: a new one for every start. */
const lives = (drive: Drive) => new Map(drive.tree.refs.map((ref) => [ref.id, ref.sessionId]));

describe('a dog', () => {
  // Rules: I-13.
  test('that crashes leaves its siblings untouched: their session ids, dances and windows are the same', () => {
    let poison = 1;
    const drive = town((order) => order.target.uuid === 'uuid-3' && poison-- > 0);
    file(drive, 1, 2, 3, 4, 5);
    drive.run(500);
    const before = lives(drive);
    const third = drive.dances[2]!.id;
    drive.run(600); // the first look: the third dog crashes
    const after = lives(drive);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    const changed = [...after].filter(([id, life]) => before.get(id) !== life).map(([id]) => id);
    expect(changed).toEqual([third]);
  });

  test('that crashes once goes on with the same code, attempt and time, and ends as it would have', () => {
    let poison = 1;
    const drive = town(() => drive.now > 100_000 && poison > 0 && poison-- > 0);
    file(drive, 1);
    drive.run(100_000);
    const before = drive.dances[0]!;
    drive.run(1_000);
    expect(poison).toBe(0);
    const after = drive.dances[0]!;
    expect(after).toMatchObject({ id: before.id, attempt: before.attempt, crashes: 1, verdict: null });
    expect(after.attempts).toEqual(before.attempts);
    expect(after.observedMs).toBeGreaterThanOrEqual(before.observedMs);
    expect(after.observedMs - before.observedMs).toBeLessThanOrEqual(POLICY.dance.saveEveryMs);
  });

  test('that crashes three times in a row fails its dance with an alert, and kills no agent', () => {
    const drive = town((order) => order.target.uuid === 'uuid-1');
    file(drive, 1, 2);
    drive.run(5_000);
    expect(drive.dances[0]).toMatchObject({ stage: 'closed', verdict: 'failed', crashes: POLICY.dance.maxCrashes });
    expect(drive.dances[0]?.reason).toMatch(/^the town itself failed at it 3 times: /);
    expect(drive.dances[0]?.reason).not.toMatch(/guard|transition|state node|LOOKED/);
    expect(drive.dances[1]).toMatchObject({ stage: 'interrogating.listening', crashes: 0 });
    expect(drive.alerts).toEqual([`dance-failed/${drive.dances[0]!.id}`]);
    expect(drive.given('signal', 'clear', 'rescue')).toEqual([]);
  });

  test('that cannot even fail gives its place back: its record stays open, and a person is told', () => {
    const clumsy = dog.provide({
      actions: {
        order: () => {
          throw new Error('a bug in giving orders');
        },
      },
    });
    const root = createSupervisor('town', { kennel: kennel.provide({ actors: { dog: clumsy } }) }, () => ({
      strategy: 'one_for_one',
      policy: POLICY.supervisor,
      entropy: 'test',
      children: [{ id: 'kennel', src: 'kennel', input: tools({ poolSize: 1 }) }],
    }));
    const drive = new Drive({ ask: ASKED, look: NONSENSE }, { root });
    file(drive, 1, 2);
    drive.run(10_000);
    const opened = drive.dances;
    expect(opened.map((d) => [d.target.uuid, d.stage])).toEqual([
      ['uuid-1', 'failed'],
      ['uuid-2', 'failed'],
    ]);
    expect(drive.alerts).toEqual(opened.map((d) => `dance-hopeless/${d.id}`));
    expect(drive.tree.refs.map((ref) => ref.id).sort()).toEqual(['kennel', 'town']);
    expect(drive.given('signal', 'clear', 'rescue')).toEqual([]);
  });
});

describe('a record that brings the town down', () => {
  const open = (more: Partial<Dance>): Dance => {
    const drive = town(() => false);
    file(drive, 1);
    return { ...drive.dances[0]!, ...more };
  };
  const restartedWith = (dance: Dance) => new Drive({ ask: ASKED }, { dances: [dance] });

  test('counts its recovery before anything is done with it', () => {
    const drive = restartedWith(open({ recoveries: 4 }));
    expect(drive.trail[0]).toMatch(/interrogating/);
    expect(drive.orders.findIndex((o) => o.type === 'checkpoint')).toBeLessThan(
      drive.orders.findIndex((o) => o.type === 'ask'),
    );
  });

  test('is not danced again after ten recoveries without an outcome', () => {
    const drive = restartedWith(open({ recoveries: POLICY.dance.maxRecoveries }));
    drive.run(1_000);
    expect(drive.dances[0]).toMatchObject({ stage: 'closed', verdict: 'failed' });
    expect(drive.given('ask', 'signal')).toEqual([]);
  });
});

test('a kennel that crashes reads the records again; the dances go on and the rest of the town was never touched', () => {
  const drive = town(() => false);
  file(drive, 1);
  drive.run(10_000);
  const before = lives(drive);
  const [read] = drive.dances;
  drive.tell({ type: 'WARRANT_FILED', warrant: undefined as never }); // a fact that no hand should give
  expect(drive.tree.refs.map((ref) => ref.id)).not.toContain('kennel');
  drive.run(5_000);
  const after = lives(drive);
  const changed = [...after].filter(([id, life]) => before.get(id) !== life).map(([id]) => id);
  expect(changed.sort()).toEqual([read!.id, 'kennel'].sort());
  drive.run(60_000);
  const [dance] = drive.dances;
  expect(dance?.attempts[0]?.code).toBe(read!.attempts[0]?.code);
  expect(drive.given('ask').filter((o) => o.id.attempt === 1)).toHaveLength(1);
});
