/** One request on real git and with real programs: what sends it back, what keeps it waiting, and what is pushed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MergeRig, sh } from '../merge-rig.ts';

/** A test that is misspelt, no program, not to be started, killed, and too slow. */
const WITHOUT_RESULT: readonly (readonly [readonly string[], string])[] = [
  [sh('npmm test'), 'could not be started on the merge of one, or was killed (exit code 127'],
  [['/no/such/program'], 'could not be started on the merge of one'],
  [sh('./new'), 'exit code 126'],
  [sh('kill -9 $$'), 'or was killed'],
  [sh('sh -c "kill -9 \\$\\$"; exit $?'), 'was killed on the merge of one (signal 9)'],
  [sh('echo begins; sleep 600'), 'did not end within 1 s on the merge of one'],
];

// Rules: R-2.
test('a test without a result is no fault of the work: its request waits, and a later try merges it', async () => {
  const it = new MergeRig();
  const request = it.branch('one');
  for (const [test, why] of WITHOUT_RESULT) {
    const outcome = await it.refine(request, { test, testLimitMs: 1_000 });
    expect(outcome).toMatchObject({ is: 'waits', kind: 'test', why: expect.stringContaining(why) as string });
  }
  expect(it.onMain('new')).toBeNull();
  expect(await it.refine(request, { test: sh('test -e new') })).toMatchObject({ is: 'merged' });
});

// Rules: R-2.
test('a test that says itself that it fails sends the work back', async () => {
  const it = new MergeRig();
  expect(await it.refine(it.branch('one'), { test: sh('echo "not ok 1"; exit 1') })).toEqual({
    is: 'failed',
    why: '`echo "not ok 1"; exit 1` fails with exit code 1 on the merge of one: not ok 1',
  });
});

// Rules: R-2.
test('a merge whose push was refused is tested again only by a test that it has not passed', async () => {
  const it = new MergeRig();
  const request = it.branch('one');
  const counts = (exit: number) => ({ test: sh(`echo x >>"${it.root}/tested"; exit ${exit}`) });
  const tested = (): string => readFileSync(join(it.root, 'tested'), 'utf8');
  it.hook('exit 1');
  expect(await it.refine(request)).toMatchObject({ is: 'waits', kind: 'push' });
  // Without a test it had passed none.
  expect(await it.refine(request, counts(0))).toMatchObject({ is: 'waits', kind: 'push' });
  expect(await it.refine(request, counts(0))).toMatchObject({ is: 'waits', kind: 'push' });
  expect(tested()).toBe('x\n');
  it.hook('exit 0');
  expect(await it.refine(request, counts(1))).toMatchObject({ is: 'failed' });
  expect(it.onMain('new')).toBeNull();
  expect(await it.refine(request, counts(0))).toMatchObject({ is: 'merged' });
  expect(tested()).toBe('x\nx\n');
});

// Rules: R-2.
test('a branch of any name that git allows is merged, and a request with any other name goes back', async () => {
  const it = new MergeRig();
  const named = [
    ['fix/#12-parser', 'merge'],
    ['größe', 'squash'],
    ['a&b;$(exit)', 'rebase'],
    ["it's", 'merge'],
  ] as const;
  for (const [nth, [name, way]] of named.entries())
    expect(await it.refine(it.branch(name, `file-${nth}`), { way })).toMatchObject({ is: 'merged' });
  expect(named.map((_, nth) => it.onMain(`file-${nth}`))).toEqual(named.map(([name]) => `${name}\n`));
  const request = it.branch('one');
  for (const branch of ['-one', 'on e', 'o*', '@{-1}', 'one:two'])
    expect(await it.refine({ ...request, branch })).toEqual({
      is: 'failed',
      why: `git takes no branch by the name ${JSON.stringify(branch)}; write Branch: <name> into the request`,
    });
  expect(it.onMain('new')).toBeNull();
});
