/** The line of a test or of git that tells what failed. */
import { expect, test } from 'vitest';
import { REFINERY } from '../../src/refinery/policy.ts';
import { failuresIn, refusalIn, tailOf, tellingLine, withOutput } from '../../src/refinery/telling.ts';

// Rules: R-2.
test.each([
  ['TAP', 'ok 1 - a\nnot ok 2 - adds\n  ---\nnpm error code 1\n', 'not ok 2 - adds'],
  [
    'vitest',
    '✓ one\n\u001b[31m FAIL \u001b[39m test/a.test.ts > adds\nAssertionError: expected 1\n',
    'FAIL  test/a.test.ts > adds',
  ],
  ['Go', 'ok  shop/a\n--- FAIL: TestAdd (0.00s)\n    a_test.go:3: 1\nFAIL\n', '--- FAIL: TestAdd (0.00s)'],
  ['pytest', '1 passed\nFAILED test_a.py::test_add - assert 1 == 2\n', 'FAILED test_a.py::test_add - assert 1 == 2'],
  ['Rust', "test a ... ok\nthread 'a' panicked at src/a.rs:1\n", "thread 'a' panicked at src/a.rs:1"],
  ['a compiler', 'make: x\na.c\nerror: expected ;\nmake: *** [all] Error 1\n', 'error: expected ;'],
  ['an exception', 'Traceback:\n  File "a"\nValueError: no number\n', 'ValueError: no number'],
  ['nothing known', 'begins\nall is bad\n\n', 'all is bad'],
  ['npm alone', 'npm error Lifecycle script `test` failed\n', 'npm error Lifecycle script `test` failed'],
  ['no output', '', ''],
])('of %s', (_, output, line) => {
  expect(tellingLine(output)).toBe(line);
});

// Rules: R-2.
test('two runs that fail alike have the same failures, in any order, and a further one differs', () => {
  const one = 'not ok 3 - adds (12 ms)\nok 4 - takes\nnot ok 5 - at 0x7f3a10, commit 3f2a91c0\n';
  const two = 'not ok 17 - at 0x1b2c3d, commit 77b0e5d4\nnot ok 18 - adds (7 ms)\n';
  expect(failuresIn(one)).toEqual(failuresIn(two));
  expect(failuresIn('not ok 3 - adds\n')).not.toEqual(failuresIn(one));
  expect(failuresIn('')).toEqual(failuresIn('\n'));
  expect(failuresIn('FAIL src/a.test.js (5.2 s)\n')).toEqual(failuresIn('FAIL src/a.test.js\n'));
  expect(failuresIn('Done in 2s\n')).toEqual(failuresIn('Done in 1.53 s\n'));
});

// Rules: R-2.
test('of a long output its last lines, whole', () => {
  const output = Array.from({ length: 200 }, (_, at) => `line ${String(at)}`).join('\n');
  const tail = tailOf(output, 40);
  expect(tail).toBe('…\nline 196\nline 197\nline 198\nline 199');
  expect(tailOf('one\n\n\u001b[1mtwo\u001b[0m\n')).toBe('one\ntwo');
});

// Rules: R-2.
test('an output of one line, which is in the sentence already, is not said twice', () => {
  expect(withOutput('it fails: not ok 1', 'not ok 1\n')).toBe('it fails: not ok 1');
  expect(withOutput('it fails: not ok 1', 'ok 0\nnot ok 1\n')).toBe('it fails: not ok 1\n\nok 0\nnot ok 1');
  expect(withOutput('it is late', '')).toBe('it is late');
});

// Rules: R-2.
test('a remote that refuses is quoted, without the command', () => {
  const said =
    '`git push -- origin a:b`: remote: main is protected\nTo /x\n ! [remote rejected] a -> b (pre-receive hook declined)\nerror: failed\n';
  expect(refusalIn(said)).toBe('remote: main is protected\n! [remote rejected] a -> b (pre-receive hook declined)');
  expect(refusalIn('`git push`: fatal: no space left')).toBe('fatal: no space left');
  const shadowed =
    "`git push`: warning: refname 'refs/heads/main' is ambiguous.\nerror: dst refspec refs/heads/main matches more than one\nerror: failed to push some refs to '/x'";
  expect(refusalIn(shadowed)).toBe('error: dst refspec refs/heads/main matches more than one');
});

test('of an output that lost its beginning it is not known what failed', () => {
  const block = 'FAIL src/a.test.js\nError: connect ECONNREFUSED 127.0.0.1:5432\n';
  expect(failuresIn(block.repeat(REFINERY.maxOutputBytes).slice(-REFINERY.maxOutputBytes))).toBeNull();
  expect(failuresIn(block.repeat(20))).not.toBeNull();
});
