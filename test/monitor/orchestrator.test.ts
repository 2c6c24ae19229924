/** How the monitor reaches an orchestrator in its pane, and a person where none reads (M-5). */
import { describe, expect, test } from 'vitest';
import type { Incarnation } from '../../machines/protocol.ts';
import { incarnation } from '../world/drive.ts';
import type { MonitorTown } from './town.ts';
import { ORCHESTRATOR, POLL, SECOND } from './town.ts';
import { withWorker } from './worker.ts';

describe('the pane of the orchestrator', () => {
  const told = (): MonitorTown => {
    const town = withWorker();
    town.show(2);
    town.show(3);
    town.polls(1);
    town.orchestrators = [ORCHESTRATOR];
    return town;
  };
  // Rules: M-5.
  test('gets one line for all that came together, at rest, and no more for the same', () => {
    const town = told();
    town.polls(20);
    expect(town.types).toEqual(['worker.stuck', 'worker.stuck', 'worker.stuck']);
    expect(town.nudges.length).toBeLessThanOrEqual(2);
    expect(town.nudges[0]).toMatch(/^\S.* for you\. Read it with: town alerts poll --for orchestrator --json$/);
    expect(
      town.drive.given('nudge').every(({ atRest, raw, from }) => atRest === true && !raw && from === 'monitor'),
    ).toBe(true);
  });
  // Rules: M-5.
  test('is left alone once they were read', () => {
    const town = told();
    town.obstacle = { kind: 'working', what: 'Thinking' };
    town.polls(6);
    const before = town.nudges.length;
    expect(before).toBeGreaterThan(1);
    town.read();
    town.obstacle = null;
    town.polls(6);
    expect(town.nudges.length).toBe(before);
  });
  // Rules: M-5, law 3.
  test('is told once in each life, and each of several once, over a restart of the town too', () => {
    const town = told();
    const [first, second, third] = ['first', 'second', 'third'].map((one) => incarnation(one)) as [
      Incarnation,
      Incarnation,
      Incarnation,
    ];
    const toldLives = (): string[] => town.drive.given('nudge').map(({ target }) => target.uuid);
    town.orchestrators = [first];
    town.polls(6);
    expect(new Set(toldLives())).toEqual(new Set([first.uuid]));
    const before = toldLives().length;
    town.orchestrators = [second, third];
    town.obstacle = { kind: 'working', what: 'Thinking' };
    town.free.add(third.uuid);
    town.polls(3);
    expect(
      toldLives()
        .slice(before)
        .filter((uuid) => uuid === third.uuid),
    ).toHaveLength(1);
    town.obstacle = null;
    town.polls(6);
    town.drive.restart(10 * SECOND);
    town.polls(6);
    const last = toldLives().slice(before);
    expect(last.filter((uuid) => uuid === third.uuid)).toHaveLength(1);
    expect(last.at(-1)).toBe(second.uuid);
    town.free.clear();
    const after = toldLives().length;
    town.polls(6);
    expect(toldLives()).toHaveLength(after);
  });
  // Rules: M-5, law 5.
  test('waits as long as the pace of all nudges says', () => {
    const town = told();
    town.obstacle = { kind: 'recent', what: 'it was nudged a moment ago', waitMs: 10 * POLL };
    town.polls(9);
    expect(town.nudges.length).toBe(1);
  });
});

// Rules: M-5, law 7.
test('a person hears of alerts that no orchestrator reads, until one does', () => {
  const town = withWorker();
  town.report(1, 'complete');
  town.polls(15);
  expect(town.drive.alerts).toEqual([]);
  town.polls(10);
  expect(town.drive.alerts).toEqual(['worker-alerts-unread']);
  town.read();
  town.polls(1);
  expect(town.drive.ends).toEqual(['worker-alerts-unread']);
});
