/** What the end of a command says of the work, how long a request rests whose try came to nothing, and which one is next. */
import { expect, test } from 'vitest';
import { REFINERY } from '../../src/refinery/policy.ts';
import { inTurn, restAfter, wakeRests, type Rest } from '../../src/refinery/refinery.ts';
import { resultOf } from '../../src/refinery/result.ts';

const exit = (exitCode: number | null) => ({
  is: exitCode === 0 ? ('done' as const) : ('failed' as const),
  exitCode,
  text: 'spawn npmm ENOENT',
  output: 'begins\nnot ok 3 adds a tax\nends\n',
});

// Rules.
test.each([
  [exit(0), 'passed', 'passes on it'],
  [exit(1), 'failed', 'fails with exit code 1 on it: not ok 3 adds a tax'],
  [exit(125), 'failed', 'fails with exit code 125 on it'],
  [exit(126), 'unknown', 'could not be started on it, or was killed (exit code 126: not ok 3 adds a tax)'],
  [exit(75), 'unknown', 'says on it that it could not find out (exit code 75): '],
  [exit(127), 'unknown', 'could not be started on it, or was killed (exit code 127'],
  [exit(128), 'failed', 'fails with exit code 128 on it'],
  [exit(137), 'unknown', 'was killed on it (signal 9)'],
  [exit(192), 'unknown', 'was killed on it (signal 64)'],
  [exit(193), 'failed', 'fails with exit code 193 on it'],
  [exit(255), 'failed', 'fails with exit code 255 on it'],
  [exit(null), 'unknown', 'could not be started on it, or was killed (spawn npmm ENOENT)'],
  [{ ...exit(null), is: 'late' as const }, 'unknown', 'did not end within 30 min on it'],
] as const)('%o is %s: it %s', (ended, is, words) => {
  const result = resultOf(ended, { words: ['/bin/sh', '-c', 'npm test'], limitMs: 1_800_000 }, 'it');
  expect(result.is).toBe(is);
  expect(result.text).toContain(`\`npm test\` ${words}`);
  expect(result.text.split('\n').at(-1)).toBe('ends');
});

// Rules.
test.each<[number, string, string]>([
  [127, '  300 passing\n  127 failing', 'failed'],
  [75, '  300 passing\n  75 failing', 'failed'],
  [130, '# pass 0\n# fail  130', 'failed'],
  [137, '140 Tests 137 Failures 0 Ignored', 'failed'],
  [137, 'Tests Passed: 3, Failed: 137, Skipped: 0', 'failed'],
  [137, '# Looks like you failed 137 tests of 200.', 'failed'],
  [137, '  1137 failing', 'unknown'],
  [137, 'Killed\nerror Command failed with exit code 137.', 'unknown'],
  [137, 'the step with exit code 137 failed', 'unknown'],
  [127, 'sh: 1: mocha: not found\nnpm error code 127\nnpm error Test failed.', 'unknown'],
])('exit code %i is %j', (exitCode, output, is) => {
  const command = { words: ['npm', 'test'], limitMs: 1_800_000 };
  expect(resultOf({ ...exit(exitCode), output }, command, 'it').is).toBe(is);
});

// Rules: R-2.
test('a request rests twice as long each time, and never less than its try took', () => {
  const rests = [1, 2, 3, 4].reduce<number[]>((all) => [...all, restAfter('push', 1, all.at(-1) ?? null)], []);
  expect(rests).toEqual([1, 2, 4, 8].map((times) => times * REFINERY.restMs));
  expect(restAfter('push', 1, REFINERY.maxRestMs)).toBe(REFINERY.maxRestMs);
  expect(restAfter('remote', 1, REFINERY.maxRestMs)).toBe(REFINERY.maxRemoteRestMs);
  const half = 1_800_000;
  expect([restAfter('remote', half, null), restAfter('test', half, half)]).toEqual([half, half]);
});

// Rules: R-2.
test('a request that was never tried goes before older ones that wait, and none that rests is tried', () => {
  const requests = ['old', 'rests', 'older news', 'news'].map((mail) => ({ mail }));
  const rests = new Map([
    ['old', { until: 5 }],
    ['rests', { until: 11 }],
  ]);
  expect(inTurn(requests, rests, 10).map(({ mail }) => mail)).toEqual(['older news', 'news', 'old']);
});

// Rules: R-2.
test('what waits for the remote is tried again once it answered another request, and most other things once one was merged', () => {
  const of = (kind: string, until: number): Rest => ({ kind, key: kind, ms: 8_000, until, bead: null, why: '' });
  const rests = new Map([
    ['first', of('remote', 5)],
    ['test', of('test', 5)],
    ['push', of('push', 5)],
  ]);
  const untils = (): number[] => [...rests.values()].map(({ until }) => until);
  wakeRests(rests, 'failed');
  expect(untils()).toEqual([0, 5, 5]);
  wakeRests(rests, 'merged');
  expect(untils()).toEqual([0, 5, 0]);
});
