/** The loop (records before orders, degraded by the disk, one outcome per order), with a clock moved by hand. */
import { afterEach, describe, expect, test } from 'vitest';
import { span } from '../../machines/kernel/span.ts';
import { POLICY } from '../../machines/policy.ts';
import { PROCESS } from '../../src/ports/policy.ts';
import { STATE } from '../../state/files/policy.ts';
import type { Mark, OutcomeBody } from '../../machines/protocol.ts';
import { incarnation, warrant } from '../world/drive.ts';
import { settled } from './fake-clock.ts';
import { Rig, still } from './rig.ts';

const MARK: Mark = { line: 0, width: 200, alternate: false, cpuRate: null };
const ASKED: OutcomeBody = { type: 'ASKED', mark: MARK, tail: '' };
const SILENT: OutcomeBody = { type: 'LOOKED', observation: { kind: 'silent' }, tail: '' };
const FILED = { type: 'WARRANT_FILED', warrant: warrant('w1') } as const;
const refused = () => Promise.reject(new Error('ENOSPC: no space left on device'));

let rig: Rig;
const begin = async (): Promise<Rig> => {
  rig = new Rig();
  await settled();
  return rig;
};
afterEach(() => rig.stop());

/** A town whose questions get through and whose targets are silent. */
const answering = (town: Rig) => {
  town.perform = (order, signal) =>
    order.type === 'ask'
      ? Promise.resolve(ASKED)
      : order.type === 'look'
        ? Promise.resolve(SILENT)
        : order.type === 'listTree'
          ? Promise.resolve({ type: 'TREE_LISTED', tree: [] })
          : still(order, signal);
};

describe('records before orders', () => {
  test('a question gets out only after its dance is on disk', async () => {
    const town = await begin();
    town.log.length = 0;
    await town.news(FILED);
    expect(town.log).toEqual(['saved interrogating.asking', 'checkpoint', 'ask']);
  });

  test('a save that hangs lets nothing out that came with it', async () => {
    const town = await begin();
    let land = () => {};
    town.disk = () => new Promise((resolve) => (land = resolve));
    await town.news(FILED);
    await town.clock.pass(STATE.slowSaveMs - 1);
    expect(town.acts).toEqual([]);
    expect(town.degraded).toEqual([]);
    expect([town.loop.saving, town.loop.isSlow]).toEqual([true, false]);
    await town.clock.pass(1);
    expect(town.degraded).toEqual(['waiting for disk: a save takes longer than it should']);
    expect([town.loop.saving, town.loop.isSlow]).toEqual([true, true]);
    town.disk = () => Promise.resolve();
    land();
    await settled();
    expect(town.acts).toEqual(['checkpoint', 'ask']);
    expect(town.degraded.at(-1)).toBe(null);
  });

  test('all facts that waited share one save', async () => {
    const town = await begin();
    let saves = 0;
    town.disk = () => Promise.resolve(void (saves += 1));
    for (let n = 1; n <= 5; n++)
      town.inbox.push({ type: 'WARRANT_FILED', warrant: warrant(`w${n}`, incarnation(n)), at: 0, wall: 0 });
    await settled();
    expect(town.acts.filter((t) => t === 'ask')).toHaveLength(5);
    expect(saves).toBe(1);
    // So that what an earlier town told of the disk is over.
    expect(town.degraded).toEqual([null]);
  });
});

describe('a disk that refuses', () => {
  // Rules: I-10.
  test('holds back what acts, is told once, is tried again, and lets go when there is space', async () => {
    const town = await begin();
    town.disk = refused;
    await town.news(FILED);
    await town.clock.pass(10 * STATE.retrySaveMs);
    expect(town.acts).toEqual([]);
    expect(town.degraded).toEqual(['records cannot be saved: ENOSPC: no space left on device']);
    expect(town.log.filter((line) => line === 'save failed').length).toBeGreaterThanOrEqual(10);
    town.disk = () => Promise.resolve();
    await town.clock.pass(STATE.retrySaveMs);
    expect(town.acts).toEqual(['checkpoint', 'ask']);
    expect(town.degraded.at(-1)).toBe(null);
    expect(town.loop.degradedBy).toBe(null);
  });

  test('has one reason, though each try writes another temporary file, and a later try is slow', async () => {
    const town = await begin();
    let tries = 0;
    town.disk = () => {
      const path = `/root/sessions/.town-1-${(tries += 1)}.tmp`;
      const message = `EACCES: permission denied, open '${path}'`;
      return Promise.reject(Object.assign(new Error(message), { code: 'EACCES', errno: -13, path }));
    };
    await town.news(FILED);
    await town.clock.pass(10 * STATE.retrySaveMs);
    expect(tries).toBeGreaterThanOrEqual(10);
    const why = 'records cannot be saved: permission denied, EACCES: /root/sessions';
    expect(town.degraded).toEqual([why]);
    let land = () => {};
    town.disk = () => new Promise((resolve) => (land = resolve));
    await town.clock.pass(STATE.retrySaveMs + STATE.slowSaveMs);
    expect([town.loop.isSlow, town.loop.degradedBy]).toEqual([true, why]);
    land();
  });

  test('does not stop the town from observing: looks and alerts get out, nothing that acts does', async () => {
    const town = await begin();
    answering(town);
    await town.news(FILED);
    await town.clock.pass(2_000);
    town.performed.length = 0;
    town.disk = refused;
    await town.clock.pass(500_000); // all three windows would be over
    const types = new Set(town.performed.map((o) => o.type));
    expect(types).toContain('look');
    for (const acting of ['ask', 'rescue', 'signal', 'clear', 'sendVerdict', 'checkpoint'])
      expect(types).not.toContain(acting);
  });

  test('keeps no order that no actor waits for any more', async () => {
    const town = await begin();
    town.disk = refused;
    await town.news(FILED);
    await town.news({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'cancelWarrant', id: 'w1', by: 'mayor' } });
    town.disk = () => Promise.resolve();
    await town.clock.pass(STATE.retrySaveMs);
    expect(town.acts).not.toContain('ask');
    expect(town.acts).toContain('sendVerdict');
    expect(town.acts).toContain('reply');
  });

  test('saves the newest state of a record, once, when it is back', async () => {
    const town = await begin();
    town.disk = refused;
    await town.news(FILED);
    await town.news({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'cancelWarrant', id: 'w1', by: 'mayor' } });
    town.disk = () => Promise.resolve();
    town.log.length = 0;
    await town.clock.pass(STATE.retrySaveMs);
    expect(town.log.filter((line) => line.startsWith('saved'))[0]).toBe('saved complete');
  });
});

describe('one outcome per order', () => {
  const outcomes = (town: Rig, type: string) => town.steps.flatMap((s) => s.facts).filter((f) => f.type === type);

  test('a hand that throws is a failed order', async () => {
    const town = await begin();
    town.perform = (order, signal) =>
      order.type === 'ask' ? Promise.reject(new Error('tmux is gone')) : still(order, signal);
    await town.news(FILED);
    expect(outcomes(town, 'ORDER_FAILED')).toMatchObject([{ why: 'tmux is gone' }]);
  });

  test('a hand that throws before it promises anything is a failed order too', async () => {
    const town = await begin();
    town.perform = (order, signal) => {
      if (order.type === 'ask') throw new Error('a bug');
      return still(order, signal);
    };
    await town.news(FILED);
    expect(outcomes(town, 'ORDER_FAILED')).toMatchObject([{ why: 'a bug' }]);
  });

  test('a hand that hangs fails at its limit, once; what it brings later is dropped', async () => {
    const town = await begin();
    let late: (body: OutcomeBody) => void = () => {};
    let aborted = false;
    town.perform = (order, signal) => {
      if (order.type !== 'ask') return still(order, signal);
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise((resolve) => (late = resolve));
    };
    await town.news(FILED);
    await town.clock.pass(PROCESS.orderMs - 1);
    expect(outcomes(town, 'ORDER_FAILED')).toEqual([]);
    await town.clock.pass(1);
    expect(outcomes(town, 'ORDER_FAILED')).toMatchObject([{ why: `no outcome within ${span(PROCESS.orderMs)}` }]);
    expect(aborted).toBe(true);
    late(ASKED);
    await settled();
    expect(outcomes(town, 'ASKED')).toEqual([]);
    await town.clock.pass(POLICY.dance.retryMs);
    expect(town.acts.filter((t) => t === 'ask')).toHaveLength(2);
  });
});

describe('waiting', () => {
  test('it does not spin: an idle town makes a step for its rounds and its sign of life, no more', async () => {
    const town = await begin();
    const before = town.loop.steps;
    await town.clock.pass(60_000);
    expect(town.loop.steps - before).toBeLessThanOrEqual(
      60_000 * (2 / POLICY.dance.readWarrantsEveryMs + 2 / POLICY.sessions.scanEveryMs + 1 / PROCESS.progressEveryMs),
    );
    expect(town.progress.at(-1)).toBe(town.loop.steps);
  });

  test('a fact is taken at once, also where the loop waits for another', async () => {
    const town = await begin();
    await town.news(FILED);
    expect(town.acts).toContain('ask');
  });

  test('stop ends it after the save that is under way, and tells the hands', async () => {
    const town = await begin();
    let aborted = '';
    town.perform = (order, signal) => {
      signal.addEventListener('abort', () => (aborted = String(signal.reason)));
      return still(order, signal);
    };
    await town.news(FILED);
    let land = () => {};
    town.disk = () => new Promise((resolve) => (land = resolve));
    await town.news({ type: 'WARRANT_FILED', warrant: warrant('w2', incarnation(2)) });
    town.loop.stop();
    let ended = '';
    void town.ended.then((how) => (ended = how));
    await settled();
    expect([ended, aborted]).toEqual(['', 'Error: the town stops']);
    land();
    await settled();
    expect(ended).toBe('stopped');
  });
});
