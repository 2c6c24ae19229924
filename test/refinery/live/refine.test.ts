/** One request on real git and with real programs: what sends it back, what keeps it waiting, and what is pushed. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  expect(await it.refine(it.branch('one'), { test: sh('! test -e new || ! echo "not ok 1"') })).toEqual({
    is: 'failed',
    why: '`! test -e new || ! echo "not ok 1"` fails with exit code 1 on the merge of one: not ok 1',
  });
});

// Rules: R-2.
test('where main itself is red a red merge waits, the work that mends main is merged, and then the other', async () => {
  const it = new MergeRig();
  const test = sh(`echo $TOWN_BRANCH >>"${it.root}/tested"; test ! -e broken`);
  const tested = (): string[] => readFileSync(join(it.root, 'tested'), 'utf8').trim().split('\n');
  it.commit('broken', 'by a person\n');
  it.git('push', '-q', 'origin', 'HEAD:main');
  it.git('fetch', '-q', 'origin');
  const [one, two] = [it.branch('one', 'one'), it.branch('two', 'two')];
  const why = 'the test fails on main alone';
  const waits = { is: 'waits', kind: 'main', why: expect.stringContaining(why) as string };
  expect(await it.refine(one, { test })).toMatchObject(waits);
  expect(await it.refine(two, { test })).toMatchObject(waits);
  // Main was tested once for both.
  expect(tested()).toEqual(['one', 'main', 'two']);
  // From now on only main is asked, and that no more often than its test has time for.
  it.redMain.clear();
  expect(await it.refine(one, { test })).toMatchObject(waits);
  for (const [key, red] of it.redMain) it.redMain.set(key, { ...red, tookMs: 3_600_000 });
  expect(await it.refine(two, { test })).toMatchObject(waits);
  expect(tested()).toEqual(['one', 'main', 'two', 'main']);
  it.git('checkout', '-q', '-B', 'mend', 'origin/main');
  it.git('rm', '-q', 'broken');
  it.git('commit', '-qm', 'mend main');
  it.git('push', '-q', 'origin', 'HEAD');
  const mend = { ...one, mail: 'ready-mend', branch: 'mend', commit: it.git('rev-parse', 'HEAD').trim() };
  expect(await it.refine(mend, { test })).toMatchObject({ is: 'merged' });
  expect(await it.refine(one, { test })).toMatchObject({ is: 'merged' });
});

// Rules: R-2.
test('on a red main work goes back whose merge fails by what does not fail there, or by less', async () => {
  const it = new MergeRig();
  const test = sh('cat red; test ! -e red');
  it.commit('red', 'not ok 1 - adds\nnot ok 2 - takes\n');
  it.git('push', '-q', 'origin', 'HEAD:main');
  it.git('fetch', '-q', 'origin');
  const refine = (name: string, ...lines: string[]) => it.refine(it.branch(name, 'red', lines.join('\n')), { test });
  const waits = { is: 'waits', kind: 'main' };
  // One more failure says nothing as long as main's own two stand.
  expect(await refine('more', 'not ok 1 - adds', 'not ok 2 - new', 'not ok 3 - takes')).toMatchObject(waits);
  const sentBack = (line: string) => ({ is: 'failed', why: expect.stringContaining(line) as string });
  expect(await refine('mends-one', 'not ok 1 - takes')).toMatchObject(sentBack('of mends-one: not ok 1 - takes'));
  expect(await refine('other', 'not ok 1 - new')).toMatchObject(sentBack('of other: not ok 1 - new'));
});

// Rules: R-2.
test('a main whose test has no result excuses each red merge', async () => {
  const it = new MergeRig();
  const test = sh('test $TOWN_BRANCH != main || kill -9 $$; ! echo "not ok 1"');
  expect(await it.refine(it.branch('one'), { test })).toMatchObject({ is: 'waits', kind: 'main' });
});

// Rules: R-2.
test('what a test needs is away: each red merge asks main anew, and only where main passes it goes back', async () => {
  const it = new MergeRig();
  const registry = join(it.root, 'registry');
  const test = sh(`test -e "${registry}" && test ! -e bad`);
  const [good, bad] = [it.branch('good', 'good'), it.branch('bad', 'bad')];
  writeFileSync(registry, '');
  expect(await it.refine(bad, { test })).toMatchObject({ is: 'failed' });
  rmSync(registry);
  // That main passed before says nothing of now.
  expect(await it.refine(bad, { test })).toMatchObject({ is: 'waits', kind: 'main' });
  expect(await it.refine(good, { test })).toMatchObject({ is: 'waits', kind: 'main' });
  writeFileSync(registry, '');
  // A while later.
  it.redMain.clear();
  expect(await it.refine(good, { test })).toMatchObject({ is: 'merged' });
  expect(await it.refine(bad, { test })).toMatchObject({ is: 'failed' });
});

// Rules: R-2.
test('a merge whose push was refused is tested again only by a test that it has not passed', async () => {
  const it = new MergeRig();
  const request = it.branch('one');
  const counts = (exit: number) => ({ test: sh(`! test -e new || { echo x >>"${it.root}/tested"; exit ${exit}; }`) });
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
