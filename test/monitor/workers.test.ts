/** Which sessions are workers (M-1). */
import { expect, test } from 'vitest';
import { MONITOR } from '../../machines/monitor/policy.ts';
import { isWorker } from '../../src/monitor/workers.ts';

const policy = (more: Partial<typeof MONITOR> = {}) => ({ ...MONITOR, workerTags: ['worker', 'crew'], ...more });

// Rules: M-1.
test.each([
  ['a worker tag', 'w1', ['worker'], {}, true],
  ['any of them', 'w1', ['x', 'crew'], {}, true],
  ['no worker tag', 'w1', ['x'], {}, false],
  ['no tag', 'w1', [], {}, false],
  ['an orchestrator with a worker tag', 'boss', ['worker', 'orchestrator'], {}, false],
  ['an orchestrator by another tag', 'boss', ['worker', 'lead'], { orchestratorTag: 'lead' }, false],
  ['a monitor', 'eye', ['worker', 'watchdog'], {}, false],
  ['a name that fits the pattern', 'bug-066-worker', ['worker'], { workerPattern: '.*-worker$' }, true],
  ['a name that does not', 'bug-066', ['worker'], { workerPattern: '.*-worker$' }, false],
  ['a name that fits, without a worker tag', 'bug-066-worker', [], { workerPattern: '.*-worker$' }, false],
  ['no worker tags at all', 'w1', ['worker'], { workerTags: [] }, false],
] as const)('%s', (_, name, tags, more, expected) => {
  expect(isWorker({ name, tags }, policy(more))).toBe(expected);
});

// Rules: M-1.
test('a pattern that was quick in its trials and is slow on a name fits nothing, and holds no poll up', () => {
  const began = process.cpuUsage().user;
  const slow = { workerPattern: '^(([a-z])+.)+[A-Z]([a-z])+$' };
  for (let n = 0; n < 50; n += 1)
    expect(isWorker({ name: `${'a'.repeat(62)}${n % 10}_`, tags: ['worker'] }, policy(slow))).toBe(false);
  expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(2_000);
});
