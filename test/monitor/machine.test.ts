/** What orchestrators hear of workers, and how often, over restarts, full disks and panes in the way (M-4, M-5). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActor } from 'xstate';
import { monitor } from '../../machines/monitor/machine.ts';
import { POLICY } from '../../machines/policy.ts';
import { workersOf } from '../../src/town/workers-view.ts';
import type { MonitorTown } from './town.ts';
import { ORCHESTRATOR, POLL, SECOND } from './town.ts';
import { withWorker } from './worker.ts';

// Rules: M-5, P-18.
test('a healthy worker is no news: no letter, no key, no record', () => {
  const town = withWorker();
  town.orchestrators = [ORCHESTRATOR];
  for (let n = 0; n < 20; n += 1) {
    town.write(1);
    town.polls(1);
  }
  expect([town.tries, town.nudges, town.drive.note('monitor')]).toEqual([0, [], null]);
});

// Rules: M-2.
test('before its first look it does not know whether there is a worker', () => {
  const clock = { now: () => 0, wall: () => 0 };
  const fresh = createActor(monitor, { input: { policy: POLICY.monitor } }).getSnapshot();
  expect(workersOf({ snapshotsOf: () => [fresh] }, clock)).toBeNull();
  expect(workersOf(withWorker().drive.tree, clock)).toMatchObject([{ worker_name: 'gt-rig-1' }]);
});

// Rules: M-3, M-5.
test('a worker that stands still for three polls is told of once, with the fields of the seed', () => {
  const town = withWorker();
  town.polls(3);
  expect(town.letters).toMatchObject([
    {
      to: 'tag/orchestrator',
      type: 'worker.stuck',
      payload: {
        worker_id: 'uuid-1',
        worker_name: 'gt-rig-1',
        duration_secs: 90,
        intervals_stuck: 3,
        last_output_preview: 'line 1\nline 2',
      },
      suggested: { action: 'check_on_worker' },
    },
  ]);
  const { last_activity: last } = town.letters[0]?.payload ?? {};
  expect(Date.parse(String(last))).toBeCloseTo(town.drive.wall - 90 * SECOND, -4);
  town.polls(50);
  expect(town.types).toEqual(['worker.stuck']);
});

// Rules: M-5.
test.each([
  [
    'error',
    { message: 'Build failed with exit code 1' },
    { error_context: 'Build failed with exit code 1', output_tail: ['line 1', 'line 2'] },
  ],
  ['complete', { outcome: 'partial', message: 'half of it' }, { outcome: 'partial', completion_message: 'half of it' }],
  ['complete', {}, { outcome: null, completion_message: '' }],
  ['waiting_for_input', { message: 'which database?' }, { prompt_type: 'input', prompt_preview: 'which database?' }],
] as const)('what it reports is told of at once: %s %o', (status, more, payload) => {
  const town = withWorker();
  town.report(1, status, more);
  town.drive.run(SECOND);
  const type = status === 'waiting_for_input' ? 'needs_input' : status;
  const who = { worker_id: 'uuid-1', worker_name: 'gt-rig-1' };
  expect(town.letters).toMatchObject([{ type: `worker.${type}` }]);
  expect(town.letters[0]?.payload).toEqual({ ...who, ...payload });
  town.polls(10);
  expect(town.letters.length).toBe(1);
});

// Rules: M-5.
test('a dialog is told of with its words, and the next one too', () => {
  const town = withWorker();
  town.show(1, {
    state: 'asks',
    source: 'screen, pack generic',
    detail: 'Go on? (y/n)',
    rule: 'generic/yes-or-no',
    question: 'screen:q-1',
  });
  town.polls(5);
  town.show(1, { detail: 'Really? (y/n)', question: 'screen:q-2' });
  town.polls(5);
  expect(town.letters.map(({ payload }) => payload['prompt_preview'])).toEqual(['Go on? (y/n)', 'Really? (y/n)']);
  expect(town.letters[0]?.payload['prompt_type']).toBe('confirmation');
});

describe('an episode', () => {
  // Rules: M-5, law 8.
  test('ends with its cause, and the next one is told of', () => {
    const town = withWorker();
    town.polls(3);
    town.write(1);
    town.polls(4);
    expect(town.types).toEqual(['worker.stuck', 'worker.stuck']);
  });

  // Rules: M-4, law 8.
  test('goes on over a restart of the town, and is not told of again', () => {
    const town = withWorker();
    town.polls(3);
    for (let n = 0; n < 5; n += 1) {
      town.drive.restart(10 * SECOND);
      town.polls(6);
    }
    expect(town.types).toEqual(['worker.stuck']);
    town.write(1);
    town.polls(1);
    town.polls(3);
    expect(town.types).toEqual(['worker.stuck', 'worker.stuck']);
  });

  // Rules: M-4.
  test('that began while the town was down is told of after the baseline', () => {
    const town = withWorker();
    town.drive.sleep(SECOND);
    town.show(1, { report: { status: 'complete', message: null, outcome: 'success', at: town.drive.wall } });
    town.drive.restart(POLL);
    expect(town.types).toEqual([]);
    town.polls(1);
    expect(town.types).toEqual(['worker.complete']);
  });

  // Rules: law 3, M-5.
  test('is of one life: the next life of a worker is told of anew', () => {
    const town = withWorker();
    town.polls(3);
    const { life } = town.workers.get(1) ?? {};
    town.show(1, { life: { ...life!, uuid: 'another' } });
    town.polls(1);
    expect(town.types).toEqual(['worker.stuck']);
    town.polls(3);
    expect(town.letters.map(({ payload }) => payload['worker_id'])).toEqual(['uuid-1', 'another']);
  });
});

describe('a worker that reports again and again', () => {
  const flapping = (): MonitorTown => {
    const town = withWorker();
    for (let n = 0; n < 60; n += 1) {
      town.report(1, n % 2 === 0 ? 'error' : 'complete', { message: `report ${n}` });
      town.drive.run(SECOND);
    }
    return town;
  };
  const left = (town: MonitorTown): readonly unknown[] =>
    town.letters.map(({ payload }) => payload['reports_left_out']);
  // Rules: M-5, law 8.
  test("sends an hour's number of messages, and its last report as soon as the hour has one more", () => {
    const town = flapping();
    const most = POLICY.monitor.reportsPerHour;
    expect(town.types).toHaveLength(most);
    town.polls(20);
    expect(town.letters.slice(most)).toMatchObject([
      { type: 'worker.complete', payload: { completion_message: 'report 59', reports_left_out: 47 } },
    ]);
    expect(
      left(town)
        .slice(0, most)
        .every((count) => count === undefined),
    ).toBe(true);
    town.polls(200);
    expect(town.types).toHaveLength(most + 1);
  });
  // Rules: M-5, law 8, M-13.
  test('is one open alert for a person, whose number grows, until the hour is quiet, over a restart too', () => {
    const town = flapping();
    const about = (): string[] => town.drive.alerts.filter((kind) => kind.startsWith('worker-reports-again'));
    expect(new Set(about())).toEqual(new Set(['worker-reports-again/gt-rig-1']));
    const [first, last] = [town.drive.given('alert').at(0), town.drive.given('alert').at(-1)];
    expect(first?.alert.text).toContain('1 report or more were not sent');
    expect(last?.alert.text).toMatch(/^gt-rig-1 changes its report again and again: 47 reports or more were not sent/);
    town.drive.restart(SECOND);
    town.polls(2);
    expect(town.drive.ends).not.toContain('worker-reports-again/gt-rig-1');
    town.polls(130);
    expect(town.drive.ends).toContain('worker-reports-again/gt-rig-1');
  });
  // Rules: M-5.
  test('delays no other worker, and none that reports each five minutes', () => {
    const town = flapping();
    town.show(2);
    town.polls(1);
    const before = town.letters.length;
    for (let n = 0; n < 30; n += 1) {
      town.report(2, 'complete');
      town.drive.run(5 * 60 * SECOND);
    }
    const of = (id: string): number =>
      town.letters.slice(before).filter(({ payload }) => payload['worker_id'] === id).length;
    expect(of('uuid-2')).toBe(30);
  });
  // Rules: M-5.
  test('makes the monitor look once a second', () => {
    const town = withWorker();
    const before = town.drive.given('pollWorkers').length;
    for (let n = 0; n < 50; n += 1) {
      town.report(1, n % 2 === 0 ? 'error' : 'complete');
      town.drive.run(SECOND / 10);
    }
    expect(town.drive.given('pollWorkers').length - before).toBeLessThanOrEqual(8);
  });
});

// Rules: M-5, I-10.
test('a letter that the disk refuses goes out with each poll until it is there', () => {
  const town = withWorker();
  town.isFull = true;
  town.report(1, 'complete');
  town.polls(3);
  expect(town.letters).toEqual([]);
  expect(town.drive.note('monitor')?.unsent).toMatchObject([{ type: 'worker.complete' }]);
  town.drive.restart(SECOND);
  town.isFull = false;
  town.polls(1);
  expect(town.types).toEqual(['worker.complete']);
  expect(town.drive.note('monitor')?.unsent).toEqual([]);
});

// Rules: law 1.
test('a look that fails counts for nothing', () => {
  const town = withWorker();
  town.polls(2);
  town.show(1, { mark: null });
  town.polls(20);
  expect(town.types).toEqual([]);
  town.show(1, { mark: ' 0' });
  town.polls(1);
  expect(town.types).toEqual(['worker.stuck']);
});

/** What may happen to one worker and its town. */
const event = fc.oneof(
  { weight: 4, arbitrary: fc.constant('poll') },
  fc.constantFrom('write', 'restart', 'full', 'room', 'complete', 'working', 'ask', 'answer', 'blind', 'see'),
);
// Rules: M-4, M-5, law 8.
test('one alert for each episode, over any restarts and full disks', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60, size: 'max' }), (events) => {
      const town = withWorker();
      let [episodes, questions] = [0, 0];
      for (const what of events) {
        if (what === 'poll') town.polls(1);
        if (what === 'write') town.write(1);
        if (what === 'restart') town.drive.restart(SECOND);
        if (what === 'full' || what === 'room') town.isFull = what === 'full';
        if (what === 'complete' || what === 'working') {
          town.drive.run(SECOND);
          if (what === 'complete') episodes += 1;
          town.report(1, what);
        }
        if (what === 'ask' && town.workers.get(1)?.state !== 'asks') questions += 1;
        if (what === 'ask') town.show(1, { state: 'asks', detail: 'Go on?' });
        if (what === 'answer') town.show(1, { state: 'unknown', detail: null });
        if (what === 'blind') town.show(1, { mark: null });
        if (what === 'see') town.show(1, { mark: ` ${events.length}` });
      }
      town.isFull = false;
      town.polls(2);
      const ids = town.letters.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(town.drive.note('monitor')?.unsent ?? []).toEqual([]);
      expect(town.types.filter((type) => type === 'worker.complete').length).toBeLessThanOrEqual(episodes);
      expect(town.types.filter((type) => type === 'worker.needs_input').length).toBeLessThanOrEqual(questions);
    }),
    { numRuns: 150 },
  );
});
